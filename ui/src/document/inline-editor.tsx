// A text that is edited in its place: Enter saves, Escape cancels.
import { type ReactNode, useState } from 'react'
import { announce } from '../parts/announce'
import { errorText } from '../api/problem'

interface Props {
  label: string
  value: string
  maxLength: number
  suggestions?: readonly string[]
  onSave: (value: string) => Promise<void>
  onClose: () => void
  children?: ReactNode
}

export function InlineEditor({ label, value, maxLength, suggestions = [], onSave, onClose, children }: Props) {
  const [text, setText] = useState(value)
  const [busy, setBusy] = useState(false)
  const save = () => {
    setBusy(true)
    onSave(text.trim())
      .then(onClose)
      .catch((error: unknown) => {
        announce(errorText(error))
        setBusy(false)
      })
  }
  const listId = suggestions.length ? `${label}-suggestions`.replace(/\W+/g, '-') : undefined
  return (
    <form
      className="inline-editor"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      <input
        className="input"
        aria-label={label}
        autoFocus
        maxLength={maxLength}
        value={text}
        list={listId}
        onChange={(event) => setText(event.target.value)}
      />
      {listId && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      <button type="submit" className="button primary" disabled={busy}>
        Save
      </button>
      {children}
      <button type="button" className="button plain" onClick={onClose}>
        Cancel
      </button>
    </form>
  )
}
