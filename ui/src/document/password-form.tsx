// Asks for the password of a locked PDF.
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { rerun } from '../api/actions'
import { errorText } from '../api/problem'
import type { Status } from '../api/status'
import type { Document } from '../library/list'
import { announce } from '../parts/announce'
import { rememberPassword } from './pdf-passwords'

interface Props {
  /** The text of the button. */
  action: string
  busy?: boolean
  /** Why the last password was not accepted. */
  error?: string | null
  onSubmit: (password: string) => void
}

export function PasswordForm({ action, busy = false, error = null, onSubmit }: Props) {
  const [password, setPassword] = useState('')
  const errorId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password) onSubmit(password)
  }
  return (
    <form className="password-form" onSubmit={submit}>
      <label className="stacked">
        Password
        <span className="field">
          <input
            type="password"
            // A password manager would offer the password of this site.
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            value={password}
            aria-invalid={error !== null}
            aria-describedby={error === null ? undefined : errorId}
            onChange={(event) => setPassword(event.target.value)}
          />
        </span>
      </label>
      <button type="submit" className="button primary" disabled={busy || !password}>
        {action}
      </button>
      {error !== null && (
        <p className="small" id={errorId} role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

/** Whether a password may help: the last run was rejected because the PDF is locked. */
export function needsPassword(document: Document, status: Status | undefined): boolean {
  const code = status?.run?.rejection_code
  return document.media_type === 'application/pdf' && (code === 'encrypted' || code === 'wrong_password')
}

/** Processes a locked PDF again with the password that is entered. */
export function UnlockForm({ id }: { id: string }) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const unlock = (password: string) => {
    setBusy(true)
    rerun(client, id, { fromStage: null, fresh: false, password })
      .then(() => {
        // The viewer shows the pages with the same password.
        rememberPassword(id, password)
        announce('New run queued.')
      })
      .catch((error: unknown) => announce(errorText(error)))
      .finally(() => setBusy(false))
  }
  return <PasswordForm action="Process again" busy={busy} onSubmit={unlock} />
}
