// Why a job waits, as a sentence, made from the waiting_reason code.
import { seconds } from './format'

export interface Waiting {
  reason: string
  provider: string | null
  /** The provider's own message. */
  detail?: string | null
  /** Seconds until the job continues; null when unknown. */
  secondsLeft?: number | null
}

export function waitingText({ reason, provider, detail = null, secondsLeft = null }: Waiting): string {
  const service = provider ?? 'The provider'
  const when = secondsLeft === null ? '' : secondsLeft < 1 ? ' now' : ` in ${seconds(Math.ceil(secondsLeft))}`
  const later = when || ' later'
  switch (reason) {
    case 'free_worker':
      return 'Waiting for a free worker.'
    case 'earlier_run':
      return 'Waiting for an earlier run of this document.'
    case 'retry':
      return `Retrying${later}.`
    case 'provider_throttled':
      return `${service} is rate-limited; retrying${later}.`
    case 'provider_refused':
      return `${service} refused the account; retrying${later}.${detail ? ` Its answer: ${detail}` : ''}`
    case 'provider_limit':
      return `The call limit for ${provider ?? 'the provider'} is reached; continuing${later}.`
    case 'provider_operation':
      return `${service} is still processing; checking again${later}.`
    case 'same_call_elsewhere':
      return 'Another job is making the same provider call; its result will be reused.'
    case 'storage':
      return `Storage is not available; retrying${later}.`
    case 'unknown_stage':
      return 'No running worker supports this stage.'
    case 'paused':
      return provider ? `Calls to ${provider} are paused by an operator.` : 'This stage is paused by an operator.'
    case 'worker_stopped':
      return 'The worker was stopped; waiting for a free worker.'
    default:
      return `Waiting (${reason.replace(/_/g, ' ')}).`
  }
}
