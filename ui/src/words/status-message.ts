// The status of a document as text: what is happening or happened, and what to do about it.
import type { View } from '../api/client'
import { count, seconds } from './format'
import { progressText, stageLabel } from './stages'
import { waitingText } from './waiting'

export type Tone = 'busy' | 'waiting' | 'good' | 'bad' | 'quiet'

export interface StatusMessage {
  tone: Tone
  /** One or two words, for a badge. */
  label: string
  /** What is happening or what happened. */
  what: string
  /** What the user can do; null when nothing is needed. */
  action: string | null
}

type Status = View<'StatusView'>
type Stage = Status['stages'][number]

const LABELS: Record<string, [Tone, string]> = {
  PROCESSING: ['busy', 'Processing'],
  COMPLETED: ['good', 'Completed'],
  FAILED: ['bad', 'Failed'],
  TIMED_OUT: ['bad', 'Timed out'],
  CANCELLED: ['quiet', 'Cancelled'],
}

export function labelOf(status: string): [Tone, string] {
  return LABELS[status] ?? ['quiet', status]
}

export function statusMessage(status: Status, now: number): StatusMessage {
  const [tone, label] = labelOf(status.status)
  switch (status.status) {
    case 'PROCESSING':
      return status.waiting_reason === null ? running(status) : waiting(status, status.waiting_reason, now)
    case 'COMPLETED':
      return { tone, label, what: completed(status), action: null }
    case 'TIMED_OUT':
      return { tone, label, what: timedOut(status), action: `${RAISE_DEADLINE} ${retryText(status)}` }
    case 'CANCELLED':
      return { tone, label, what: `Cancelled${atStage(status)}.`, action: retryText(status) }
    default:
      return failed(status)
  }
}

/** Rejections whose error says what to do before the same file can be processed. */
const MENDABLE: ReadonlySet<string> = new Set(['encrypted', 'wrong_password', 'calls_unavailable', 'pages_missing'])
/** Rejections whose error says which other file to upload. */
const EXPLAINED: ReadonlySet<string> = new Set(['corrupt', 'empty', 'unsupported', 'too_large'])

function rejectedAction(code: string): string | null {
  if (MENDABLE.has(code)) return null
  return EXPLAINED.has(code) ? 'Retrying won’t help.' : 'Retrying won’t help. Convert the file and upload it again.'
}

const RAISE_DEADLINE = 'Raise run_deadline_seconds (call_deadline_seconds for calls) to allow more time.'

function waiting(status: Status, reason: string, now: number): StatusMessage {
  const { waiting_until: until, waiting_provider: provider, waiting_detail: detail } = status
  const secondsLeft = until === null ? null : (Date.parse(until) - now) / 1_000
  const what = waitingText({ reason, provider, detail, secondsLeft })
  // A queued document needs no attention, so it is not shown in amber.
  if (reason === 'free_worker' || reason === 'worker_stopped') return { tone: 'quiet', label: 'Queued', what, action: null }
  const lastError = reason === 'retry' && status.error ? ` Last error: ${status.error}` : ''
  return { tone: 'waiting', label: 'Waiting', what: what + lastError, action: null }
}

function running(status: Status): StatusMessage {
  const stage = status.stages.find(({ status: state }) => state === 'PROCESSING')
  const what = stage ? `${stage.label}: ${progressText(stage.progress) ?? 'running'}.` : 'Queued.'
  const searchable = status.searchable ? ' Search uses the previous content until this run completes.' : ''
  return { tone: 'busy', label: 'Processing', what: what + searchable, action: null }
}

function completed(status: Status): string {
  const total = status.stages.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0)
  const reused = status.stages.filter((stage) => stage.reused).length
  return `Completed in ${seconds(total)}${reused ? `, ${count(reused, 'stage')} reused` : ''}.`
}

/** `Stopped after 120 s at page 5 of 30.` */
function timedOut(status: Status): string {
  const deadline = status.run?.deadline_seconds ?? null
  const stage = stoppedStage(status)
  const progress = stage && progressText(stage.progress)
  const where = progress ? ` at ${progress}` : atStage(status)
  return `Stopped${deadline === null ? '' : ` after ${Math.round(deadline)} s`}${where}.`
}

function failed(status: Status): StatusMessage {
  const error = status.error ? withPeriod(status.error) : ''
  const message = { tone: 'bad' as Tone, label: 'Failed' }
  switch (status.run?.failure_type) {
    case 'REJECTED':
      return {
        ...message,
        label: 'Rejected',
        what: error || 'This file cannot be processed.',
        action: rejectedAction(status.run.rejection_code ?? ''),
      }
    case 'QUARANTINED':
      return {
        ...message,
        label: 'Quarantined',
        what: error || `The child process crashed too often${atStage(status)}.`,
        action: 'It will not run again by itself. Check the file, then retry.',
      }
    case 'PROVIDER_REFUSED':
      return {
        ...message,
        label: 'Refused',
        what: `The provider refused the request${atStage(status)}. ${error}`.trim(),
        action: `Check the API key and the quota, then retry. ${COMPLETED_STAGES}`,
      }
    case 'PROCESS_TERMINATED':
      return { ...message, what: 'The server stopped while this was running.', action: retryText(status) }
    default:
      return { ...message, what: `Failed${atStage(status)}. ${error}`.trim(), action: retryText(status) }
  }
}

const COMPLETED_STAGES = 'Completed stages are not repeated or paid again.'

function retryText(status: Status): string {
  const anyCompleted = status.stages.some((stage) => stage.status === 'COMPLETED')
  return anyCompleted ? `Retry to resume here. ${COMPLETED_STAGES}` : 'Retry to start again. Cached provider results are reused.'
}

function stoppedStage(status: Status): Stage | undefined {
  return status.stages.find((stage) => stage.status === 'FAILED') ?? status.stages.find((stage) => stage.status === 'CANCELLED')
}

/** ` at stage “Embed” after 2 attempts`. */
function atStage(status: Status): string {
  const stopped = stoppedStage(status)
  const name = stopped?.name ?? status.stage
  if (name === null) return ''
  const attempts = stopped?.status === 'FAILED' && stopped.attempts > 1 ? ` after ${stopped.attempts} attempts` : ''
  return ` at stage “${stopped?.label ?? stageLabel(name)}”${attempts}`
}

function withPeriod(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}
