// Small pieces that several views share.
import type { ReactNode } from 'react'
import { sentence } from '../api/problem'
import type { Tone } from '../words/story'
import { Icon, type IconName } from './icon'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
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
