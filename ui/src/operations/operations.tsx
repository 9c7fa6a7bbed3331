// The operations view: queue, workers, failures, providers and costs.
import { useQuery } from '@tanstack/react-query'
import type { View } from '../api/client'
import { operationsQuery } from '../api/queries'
import { useNow } from '../parts/now'
import { Loading, Notice, ErrorNotice } from '../parts/notices'
import { useTitle } from '../parts/title'
import { hrefTo } from '../route'
import { bytes, count, dollars, number, seconds } from '../words/format'
import { stageLabel } from '../words/stages'
import { labelOf } from '../words/status-message'
import { waitingText } from '../words/waiting'
import { Failures } from './failures'
import { History } from './history'
import { Pauses } from './pauses'
import { Throughput } from './plot'
import { byStage } from './queue'
import { Runs } from './runs'
import { Table } from './table'
import { Workers } from './workers'

type Overview = View<'OperationsView'>
type Throttle = Overview['throttles'][number]

export function Operations() {
  useTitle('Operations')
  const { data, error } = useQuery(operationsQuery())
  const now = useNow(true)
  if (error && !data) return <ErrorNotice error={error} />
  if (!data) return <Loading what="Loading" />
  return (
    <div className="page operations">
      <div className="page-head">
        <h1>Operations</h1>
        <span className="quiet">{serverText(data)}</span>
      </div>
      <Documents documents={data.documents} />
      <Throughput bars={data.throughput} now={now} />
      <Queue rows={data.queue} now={now} />
      <Workers workers={data.workers} now={now} />
      <Failures failures={data.failures} />
      <Pauses pauses={data.pauses} providers={data.providers} now={now} />
      <Providers providers={data.providers} throttles={data.throttles} now={now} />
      <History />
      <Runs />
    </div>
  )
}

/** `Version 0.2.0, 31 GB of 100 GB disk space free`. */
export function serverText({ version, disk }: Pick<Overview, 'version' | 'disk'>): string {
  return `Version ${version}${disk ? `, ${bytes(disk.free_bytes)} of ${bytes(disk.total_bytes)} disk space free` : ''}`
}

function Documents({ documents }: { documents: Overview['documents'] }) {
  const states = ['PROCESSING', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED']
  return (
    <ul className="tiles">
      {states.map((status) => (
        <li key={status}>
          <a href={hrefTo({ view: 'library', status, kind: null, q: '' })} className={documents[status] ? labelOf(status)[0] : undefined}>
            {labelOf(status)[1]}
            <strong>{number(documents[status] ?? 0)}</strong>
          </a>
        </li>
      ))}
    </ul>
  )
}

function Queue({ rows, now }: { rows: Overview['queue']; now: number }) {
  const stages = byStage(rows)
  const max = Math.max(1, ...stages.map((stage) => stage.waiting + stage.running))
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      {stages.length ? (
        <Table head={['Stage', 'Depth', 'Waiting', 'Running', 'Oldest']}>
          {stages.map((stage) => (
            <tr key={stage.stage}>
              <th scope="row">{stageLabel(stage.stage)}</th>
              <td className="depth">
                <span>
                  <i style={{ transform: `scaleX(${(stage.waiting + stage.running) / max})` }} />
                </span>
              </td>
              <td>{number(stage.waiting)}</td>
              <td>{number(stage.running)}</td>
              <td>{ageText(stage.oldest, now)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">The queue is empty.</p>
      )}
    </section>
  )
}

function ageText(oldest: string | null, now: number): string {
  if (oldest === null) return ''
  const age = (now - Date.parse(oldest)) / 1_000
  return age < 0 ? `due in ${seconds(-age)}` : seconds(age)
}

function Providers({ providers, throttles, now }: Pick<Overview, 'providers' | 'throttles'> & { now: number }) {
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">Providers</h2>
      {throttles.map((throttle) => (
        <Notice key={throttle.provider} tone="waiting">
          <p>{throttleText(throttle, now)}</p>
        </Notice>
      ))}
      {providers.length ? (
        <Table head={['Provider', 'Model', 'Status', 'Calls', 'Reused', 'Repeated calls', 'Cost']}>
          {providers.map((provider) => (
            <tr key={`${provider.provider}/${provider.model}`}>
              <th scope="row">{provider.provider}</th>
              <td className="mono">{provider.model}</td>
              <td className={provider.waiting_until === null ? 'quiet' : 'is-waiting'}>{providerStatus(provider, now)}</td>
              <td>{number(provider.made)}</td>
              <td>{number(provider.reused)}</td>
              <RepeatedCalls provider={provider} />
              <td>{dollars(provider.cost)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">No provider calls yet.</p>
      )}
    </section>
  )
}

/** Repeated calls may have been paid twice; those of local models cost nothing and are not shown. */
function RepeatedCalls({ provider }: { provider: Overview['providers'][number] }) {
  if (provider.provider === 'local') return <td className="quiet">–</td>
  return <td className={provider.repeated ? 'is-bad' : undefined}>{number(provider.repeated)}</td>
}

/** `openai is rate-limited; retrying in 14 s.` */
export function throttleText({ provider, reason, detail, throttled_until }: Throttle, now: number): string {
  const secondsLeft = Math.max(1, (Date.parse(throttled_until) - now) / 1_000)
  return waitingText({ reason, provider, detail, secondsLeft })
}

/** `throttled for 14 s, 3 documents waiting`. */
export function providerStatus(provider: Overview['providers'][number], now: number): string {
  if (provider.waiting_until === null) return 'available'
  const secondsLeft = Math.max(0, Math.ceil((Date.parse(provider.waiting_until) - now) / 1_000))
  const waiting = count(provider.waiting_jobs, 'document waiting', 'documents waiting')
  return secondsLeft ? `throttled for ${seconds(secondsLeft)}, ${waiting}` : `available, ${waiting}`
}
