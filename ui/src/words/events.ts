// What happened to a run, event by event, in words.
import type { View } from '../api/client'
import { seconds } from './format'
import { shortName } from './stages'
import { list, type Tone } from './story'

type Event = View<'EventView'>

export interface Happening {
  tone: Tone
  what: string
  more: string | null
}

const FAILURES: Record<string, string> = {
  PROCESS_TERMINATED: 'the process ended',
  STAGE_FAILED: 'the attempts were used up',
  REJECTED: 'the file cannot be processed',
  QUARANTINED: 'it was set aside for taking its worker down',
  PROVIDER_REFUSED: 'the provider refused',
}

export function happening(event: Event, all: readonly Event[]): Happening {
  const stage = `‘${shortName(event.stage ?? 'a stage')}’`
  const detail = event.detail
  switch (event.kind) {
    case 'RUN_QUEUED': {
      const reused = words(detail['reused']).map(shortName)
      return { tone: 'quiet', what: 'Queued', more: reused.length ? `Takes over ${list(reused)} from an earlier run` : null }
    }
    case 'RUN_STARTED':
      return { tone: 'busy', what: 'Started', more: null }
    case 'STEP_STARTED':
      return { tone: 'quiet', what: `${stage} began`, more: text(detail['worker']) && `Worker ${text(detail['worker'])}` }
    case 'STEP_COMPLETED':
      return { tone: 'good', what: `${stage} finished${took(event, all)}`, more: null }
    case 'STEP_RETRIED':
      return { tone: 'waiting', what: `${stage} failed and is tried again`, more: text(detail['error']) }
    case 'STEP_SUSPENDED':
      return { tone: 'waiting', what: `${stage} waits`, more: text(detail['waiting_for']) }
    case 'STEP_FAILED':
      return { tone: 'bad', what: `${stage} failed for good`, more: text(detail['error']) }
    case 'LEASE_EXPIRED':
      return { tone: 'waiting', what: `The worker fell silent during ${stage}`, more: 'The job was taken back' }
    case 'RUN_COMPLETED':
      return { tone: 'good', what: 'Completed', more: null }
    case 'RUN_FAILED': {
      const why = FAILURES[text(detail['failure_type']) ?? '']
      return { tone: 'bad', what: why ? `Failed: ${why}` : 'Failed', more: null }
    }
    case 'RUN_TIMED_OUT':
      return { tone: 'bad', what: 'Timed out', more: null }
    case 'RUN_CANCELLED':
      return { tone: 'quiet', what: 'Cancelled by a person', more: null }
    case 'SCHEDULER_CONTENTION':
      return { tone: 'quiet', what: 'Had to wait for the database', more: null }
    default:
      return { tone: 'quiet', what: event.kind.toLowerCase().replace(/_/g, ' '), more: null }
  }
}

/** How long a stage took, from the last time it began. */
function took(event: Event, all: readonly Event[]): string {
  const began = all.findLast((one) => one.kind === 'STEP_STARTED' && one.job_id === event.job_id && one.id < event.id)
  return began ? ` in ${seconds((Date.parse(event.at) - Date.parse(began.at)) / 1_000)}` : ''
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value ? value : null
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
