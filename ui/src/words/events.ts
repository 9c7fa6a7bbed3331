// The text of each event of a run, made from its kind and detail.
import type { View } from '../api/client'
import { seconds } from './format'
import { stageLabel, stageList } from './stages'
import type { Tone } from './status-message'
import { waitingText } from './waiting'

type Event = View<'EventView'>

export interface EventText {
  tone: Tone
  what: string
  /** A second line, such as the error of a failed stage. */
  more: string | null
}

const FAILURES: Record<string, string> = {
  PROCESS_TERMINATED: 'the server stopped while this was running',
  STAGE_FAILED: 'all attempts failed',
  REJECTED: 'the file cannot be processed',
  QUARANTINED: 'it crashed its worker too often',
  PROVIDER_REFUSED: 'the provider refused the request',
}

/** `reusedFrom` names the run whose stages this run reuses, such as `run 1`. */
export function eventText(event: Event, events: readonly Event[], reusedFrom = 'an earlier run'): EventText {
  const stage = `“${stageLabel(event.stage ?? 'stage')}”`
  const { detail } = event
  switch (event.kind) {
    case 'RUN_QUEUED': {
      const reused = strings(detail['reused'])
      const quoted = reused.length === 1 ? `“${stageList(reused)}”` : stageList(reused)
      return { tone: 'quiet', what: 'Queued', more: reused.length ? `Reuses ${quoted} from ${reusedFrom}` : null }
    }
    case 'RUN_STARTED':
      return { tone: 'busy', what: 'Started', more: null }
    case 'STEP_STARTED': {
      const worker = string(detail['worker'])
      return { tone: 'quiet', what: `${stage} started`, more: worker && `Worker ${worker}` }
    }
    case 'STEP_COMPLETED':
      return { tone: 'good', what: `${stage} completed${duration(event, events)}`, more: null }
    case 'STEP_RETRIED':
      return { tone: 'waiting', what: `${stage} failed and will be retried`, more: string(detail['error']) }
    case 'STEP_SUSPENDED':
      return { tone: 'waiting', what: `${stage} is waiting`, more: suspension(detail) }
    case 'STEP_FAILED':
      return { tone: 'bad', what: `${stage} failed permanently`, more: string(detail['error']) }
    case 'LEASE_EXPIRED':
      return { tone: 'waiting', what: `Worker stopped responding during ${stage}`, more: 'The job returned to the queue' }
    case 'RUN_COMPLETED':
      return { tone: 'good', what: 'Completed', more: null }
    case 'RUN_FAILED': {
      const reason = FAILURES[string(detail['failure_type']) ?? '']
      return { tone: 'bad', what: reason ? `Failed: ${reason}` : 'Failed', more: null }
    }
    case 'RUN_TIMED_OUT':
      return detail['continued']
        ? { tone: 'quiet', what: 'Time limit reached; continued in a new run', more: null }
        : { tone: 'bad', what: 'Timed out', more: null }
    case 'RUN_CANCELLED': {
      const newer = detail['reason'] === 'newer_version' ? `Version ${String(detail['version'])} was uploaded` : null
      return { tone: 'quiet', what: 'Cancelled', more: newer }
    }
    case 'SCHEDULER_CONTENTION':
      return { tone: 'quiet', what: 'Waited for the database', more: null }
    default:
      return { tone: 'quiet', what: event.kind.toLowerCase().replace(/_/g, ' '), more: null }
  }
}

function suspension(detail: Event['detail']): string | null {
  const reason = string(detail['waiting_reason'])
  if (reason === null) return null
  return waitingText({ reason, provider: string(detail['waiting_provider']), detail: string(detail['waiting_detail']) })
}

/** How long a stage took, counted from its last start. */
function duration(event: Event, events: readonly Event[]): string {
  const started = events.findLast(
    (other) => other.kind === 'STEP_STARTED' && other.job_id === event.job_id && other.id < event.id,
  )
  return started ? ` in ${seconds((Date.parse(event.at) - Date.parse(started.at)) / 1_000)}` : ''
}

function string(value: unknown): string | null {
  return typeof value === 'string' && value ? value : null
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
