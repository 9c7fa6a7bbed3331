// The server wants an API key: one is entered here and kept in this browser alone.
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { enterKey, keys } from './api/key'
import { Mark } from './parts/brand'
import { Notice } from './parts/pieces'
import { useStore } from './parts/store'
import { useTitle } from './parts/title'

export function KeyPage() {
  useTitle('API key')
  const client = useQueryClient()
  const { wanted } = useStore(keys)
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!typed.trim()) return
    enterKey(typed.trim())
    void client.resetQueries()
  }
  return (
    <main className="key-page">
      <div className="key-card">
        <span className="brand">
          <Mark />
          Towpath
        </span>
        <h1>This server wants an API key</h1>
        {wanted === 'unknown' && (
          <Notice tone="bad">
            <p>The key is not known here, or it was revoked.</p>
          </Notice>
        )}
        <form onSubmit={submit}>
          <label className="stacked">
            API key
            <span className="field">
              <input
                type="password"
                autoComplete="off"
                spellCheck={false}
                autoFocus
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </span>
          </label>
          <button type="submit" className="button primary">
            Continue
          </button>
        </form>
        <p className="quiet small">
          Whoever runs the server makes one with <code className="mono">towpath keys create NAME</code>. It is kept in this
          browser until you forget it, and sent to this server only.
        </p>
      </div>
    </main>
  )
}
