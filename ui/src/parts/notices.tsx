// Badges, notices, empty and loading states.
import { type QueryFilters, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorText } from '../api/problem'
import type { Tone } from '../words/status-message'
import { Icon, type IconName } from './icon'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

interface EmptyProps {
  icon: IconName
  title: string
  /** Whether this is the page's only content, so that its title is the page's heading. */
  alone?: boolean
  children?: ReactNode
}

export function Empty({ icon, title, alone = false, children }: EmptyProps) {
  const Heading = alone ? 'h1' : 'h2'
  return (
    <div className="empty">
      <Icon name={icon} />
      <Heading>{title}</Heading>
      {children}
    </div>
  )
}

export function Notice({ tone, children }: { tone: 'bad' | 'waiting' | 'quiet'; children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'waiting' ? 'hourglass' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

/** The queries on the page that ended with this error. */
function failedWith(error: unknown): QueryFilters {
  return { type: 'active', predicate: ({ state }) => state.status === 'error' && state.error === error }
}

/** The error of a request. Queries can be sent again; a file that cannot be fetched is none. */
export function ErrorNotice({ error }: { error: unknown }) {
  const client = useQueryClient()
  const failed = failedWith(error)
  return (
    <Notice tone="bad">
      <p>{errorText(error)}</p>
      {client.getQueryCache().findAll(failed).length > 0 && (
        <button type="button" className="button" onClick={() => void client.refetchQueries(failed)}>
          Try again
        </button>
      )}
    </Notice>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="empty" role="status">
      <span className="spinner" />
      <p>{what}</p>
    </div>
  )
}
