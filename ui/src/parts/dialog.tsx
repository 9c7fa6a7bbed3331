// A modal dialog based on the browser's own, which handles focus, Escape and the backdrop.
import { type ReactNode, useEffect, useId, useRef } from 'react'

interface Props {
  title: string
  children: ReactNode
  onClose: () => void
}

export function Dialog({ title, children, onClose }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const previousFocus = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (previousFocus instanceof HTMLElement) previousFocus.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className="dialog-inner">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
