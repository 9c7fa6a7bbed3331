// A modal sheet: the browser's own dialog, so that focus, Escape and the backdrop behave as people expect.
import { type ReactNode, useEffect, useId, useRef } from 'react'

interface Sheet {
  title: string
  children: ReactNode
  onClose: () => void
}

export function Dialog({ title, children, onClose }: Sheet) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className="sheet"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className="sheet-inner">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
