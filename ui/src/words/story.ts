// Why a document is where it is, and what to do about it: one sentence each, for people.
import type { View } from '../api/client'
import { count, seconds } from './format'
import { counting, doing, shortName } from './stages'

export type Tone = 'busy' | 'waiting' | 'good' | 'bad' | 'quiet'

export interface Story {
  tone: Tone
  /** A word or two, for a badge. */
  label: string
  /** What is going on or what happened. */
  what: string
  /** What a person can do; null when nothing is needed. */
  todo: string | null
}

type Status = View<'StatusView'>

const LABELS: Record<string, [Tone, string]> = {
  PROCESSING: ['busy', 'Processing'],
  COMPLETED: ['good', 'Ready'],
  FAILED: ['bad', 'Failed'],
  TIMED_OUT: ['bad', 'Timed out'],
  CANCELLED: ['quiet', 'Cancelled'],
}

export function labelOf(status: string): [Tone, string] {
  return LABELS[status] ?? ['quiet', status]
}

export function storyOf(status: Status, now: number): Story {
  const [tone, label] = labelOf(status.status)
  switch (status.status) {
    case 'PROCESSING':
      return going(status, now)
    case 'COMPLETED':
      return { tone, label, what: finished(status), todo: null }
    case 'TIMED_OUT':
      return { tone, label, what: status.error ?? 'The run took longer than its deadline.', todo: again(status) }
    case 'CANCELLED':
      return { tone, label, what: `Stopped by a person${at(status)}.`, todo: again(status) }
    default:
      return failed(status)
  }
}

function going(status: Status, now: number): Story {
  const story: Story = { tone: 'busy', label: 'Processing', what: 'Waiting for its turn.', todo: null }
  if (status.waiting_for !== null) {
    const until = status.waiting_until === null ? null : Math.max(0, (Date.parse(status.waiting_until) - now) / 1_000)
    const when = until === null ? '' : until < 1 ? ', going on now' : `, going on in ${seconds(Math.ceil(until))}`
    // A queue is no trouble; only a wait with a reason of its own is worth amber.
    if (until === null && status.waiting_for === 'waiting for a free worker') {
      return { ...story, tone: 'quiet', label: 'Queued', what: 'Waiting for a free worker.' }
    }
    const afterError = status.waiting_for.startsWith('trying again') && status.error ? ` Last error: ${status.error}` : ''
    const reason = status.waiting_for.replace(/\brun [0-9a-f-]{36} of the same document/, 'an earlier run of this document')
    return { ...story, tone: 'waiting', label: 'Waiting', what: `${capital(reason)}${when}.${afterError}` }
  }
  const current = status.stages.find((stage) => stage.status === 'PROCESSING')
  if (current) {
    const inside = counting(current.name, current.done, current.total)
    story.what = [doing(current.name), inside].filter(Boolean).join(': ')
    if (status.searchable) story.what += '. The earlier content keeps answering searches'
    story.what += '.'
  }
  return story
}

function finished(status: Status): string {
  const spent = status.stages.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0)
  const reused = status.stages.filter((stage) => stage.reused).length
  const kept = reused ? `, ${count(reused, 'stage')} reused` : ''
  return `Done in ${seconds(spent)}${kept}.`
}

function failed(status: Status): Story {
  const reason = status.error ? full(status.error) : ''
  const story = { tone: 'bad' as Tone, label: 'Failed' }
  switch (status.run?.failure_type) {
    case 'REJECTED':
      return {
        ...story,
        label: 'Cannot be read',
        what: reason || 'This file cannot be processed.',
        todo: 'Upload a file that can be read; the same bytes would end the same way.',
      }
    case 'QUARANTINED':
      return {
        ...story,
        label: 'Set aside',
        what: reason || `It took its worker down too often${at(status)}.`,
        todo: 'It no longer runs by itself, so other documents go on. Look at the file, then retry it if you trust it.',
      }
    case 'PROVIDER_REFUSED':
      return {
        ...story,
        label: 'Refused',
        what: `The provider refused${at(status)}. ${reason}`.trim(),
        todo: `Check the key and the quota, then retry. ${kept(status)}`,
      }
    case 'PROCESS_TERMINATED':
      return { ...story, what: reason || 'The process ended before the run did.', todo: again(status) }
    default:
      return { ...story, what: `Gave up${at(status)}. ${reason}`.trim(), todo: `Retry when you like. ${kept(status)}` }
  }
}

function again(status: Status): string {
  return `Run it again when you like. ${kept(status)}`
}

/** What a retry would not have to do (and pay for) again. */
function kept(status: Status): string {
  const done = status.stages.filter((stage) => stage.status === 'COMPLETED')
  if (!done.length) return 'Nothing that was paid for is paid for again.'
  return `${capital(list(done.map((stage) => shortName(stage.name))))} ${done.length === 1 ? 'is' : 'are'} kept; nothing is paid for twice.`
}

function at(status: Status): string {
  const stopped =
    status.stages.find((stage) => stage.status === 'FAILED') ?? status.stages.find((stage) => stage.status === 'CANCELLED')
  const name = stopped?.name ?? status.stage
  if (name === null || name === undefined) return ''
  const tries = stopped && stopped.status === 'FAILED' && stopped.attempts > 1 ? ` after ${stopped.attempts} tries` : ''
  return ` at the stage ‘${shortName(name)}’${tries}`
}

export function list(words: string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function full(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}
