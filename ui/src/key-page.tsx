// The form for the API key, shown when the server requires one.
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { keys, saveKey } from './api/key'
import { Logo } from './parts/logo'
import { Notice } from './parts/notices'
import { useStore } from './parts/store'
import { useTitle } from './parts/title'

export function KeyPage() {
  useTitle('API key')
  const client = useQueryClient()
  const { required } = useStore(keys)
  const [input, setInput] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!input.trim()) return
    saveKey(input.trim())
    void client.resetQueries()
  }
  return (
    <main className="key-page">
      <div className="key-card">
        <span className="brand">
          <Logo />
          Towpath
        </span>
        <h1>API key required</h1>
        {required === 'unknown' && (
          <Notice tone="bad">
            <p>This key is unknown or was revoked.</p>
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
                value={input}
                onChange={(event) => setInput(event.target.value)}
              />
            </span>
          </label>
          <button type="submit" className="button primary">
            Continue
          </button>
        </form>
        <p className="quiet small">
          The server’s administrator creates keys with <code className="mono">towpath keys create NAME</code>. The key is
          stored in this browser only and sent to this server only.
        </p>
      </div>
    </main>
  )
}
