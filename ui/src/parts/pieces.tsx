// Small pieces that several views share.
import type { ReactNode } from 'react'
import { sentence } from '../api/problem'
import type { Tone } from '../words/story'
import { Icon, type IconName } from './icon'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

interface Emptiness {
  icon: IconName
  title: string
  /** Whether there is nothing else on the page, so that this is its heading. */
  alone?: boolean
  children?: ReactNode
}

export function Empty({ icon, title, alone = false, children }: Emptiness) {
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

export function Trouble({ error }: { error: unknown }) {
  return (
    <Notice tone="bad">
      <p>{sentence(error)}</p>
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
