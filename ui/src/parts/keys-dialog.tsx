// The keys of the page, shown by `?` and by a button.
import { useEffect } from 'react'
import { Dialog } from './dialog'
import { createStore, useStore } from './store'

const KEYS: [string[], string][] = [
  [['/'], 'search, from anywhere'],
  [['↓', '↑', 'j', 'k'], 'move through the rows or results; in a document, j and k through its passages'],
  [['Ctrl', 'F'], 'find in the document'],
  [['Page Down', 'Page Up', 'Home', 'End'], 'move through the library faster'],
  [['Enter'], 'open; in a document, the tools of the passage'],
  [['Space', 'x'], 'select a row; with Shift, all rows up to it'],
  [['←', '→'], 'the next tab of a document, from its tabs'],
  [['Esc'], 'back to the search box; close a dialog'],
  [['?'], 'show the keys'],
]

const shown = createStore(false)

/** In an input, `?` is a character: the button works everywhere. Phones have no keys. */
export function KeysButton() {
  return (
    <button type="button" className="button plain icon-only keys-button" aria-label="Keys" title="Keys (?)" onClick={() => shown.set(true)}>
      ?
    </button>
  )
}

export function KeysDialog() {
  const open = useStore(shown)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable]')
      if (event.key !== '?' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      shown.set(true)
    }
    const close = () => shown.set(false)
    window.addEventListener('keydown', listen)
    window.addEventListener('hashchange', close)
    return () => {
      window.removeEventListener('keydown', listen)
      window.removeEventListener('hashchange', close)
    }
  }, [])
  if (!open) return null
  return (
    <Dialog title="Keys" onClose={() => shown.set(false)}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => shown.set(false)}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
