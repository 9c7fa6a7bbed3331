// What waits, who works, what failed, what was paid: the machinery at a glance.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post, type View } from '../api/client'
import { sentence } from '../api/problem'
import { operationsQuery } from '../api/queries'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { useNow } from '../parts/now'
import { Loading, Notice, Trouble } from '../parts/pieces'
import { useTitle } from '../parts/title'
import { hrefTo } from '../route'
import { count, dollars, number, seconds } from '../words/format'
import { shortName } from '../words/stages'
import { labelOf } from '../words/story'
import { Throughput } from './plot'
import { byStage } from './queue'
import { Table } from './table'
import { Workers } from './workers'

type Overview = View<'OperationsView'>

export function Operations() {
  useTitle('Operations')
  const { data, error } = useQuery(operationsQuery())
  const now = useNow(true)
  if (error && !data) return <Trouble error={error} />
  if (!data) return <Loading what="Looking at the machinery" />
  return (
    <div className="page operations">
      <div className="page-head">
        <h1>Operations</h1>
        <span className="quiet">what waits, who works, what failed, what was paid</span>
      </div>
      <Documents documents={data.documents} />
      <Throughput bars={data.throughput} now={now} />
      <Queue rows={data.queue} now={now} />
      <Workers workers={data.workers} now={now} />
      <Failures failures={data.failures} />
      <Providers providers={data.providers} gates={data.gates} now={now} />
    </div>
  )
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
  const most = Math.max(1, ...stages.map((stage) => stage.waiting + stage.working))
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      {stages.length ? (
        <Table head={['Stage', 'Depth', 'Waiting', 'At work', 'Failed', 'Oldest has waited']}>
          {stages.map((stage) => (
            <tr key={stage.stage}>
              <th scope="row">{shortName(stage.stage)}</th>
              <td className="depth">
                <span>
                  <i style={{ transform: `scaleX(${(stage.waiting + stage.working) / most})` }} />
                </span>
              </td>
              <td>{number(stage.waiting)}</td>
              <td>{number(stage.working)}</td>
              <td className={stage.failed ? 'is-bad' : undefined}>{number(stage.failed)}</td>
              <td>{age(stage.oldest, now)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">Nothing waits. Every document is where it should be.</p>
      )}
    </section>
  )
}

function age(oldest: string | null, now: number): string {
  if (oldest === null) return ''
  const waited = (now - Date.parse(oldest)) / 1_000
  return waited < 0 ? `due in ${seconds(-waited)}` : seconds(waited)
}

function Failures({ failures }: { failures: Overview['failures'] }) {
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      {failures.length ? (
        <Table head={['Stage', 'What happened', 'Documents', '']}>
          {failures.map((failure) => (
            <Failure key={`${failure.stage}/${failure.error}`} failure={failure} />
          ))}
        </Table>
      ) : (
        <p className="quiet">Nothing has failed.</p>
      )}
    </section>
  )
}

function Failure({ failure }: { failure: Overview['failures'][number] }) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const words = failure.jobs > 1 ? 'Retry all' : 'Retry'
  const retry = async () => {
    setBusy(true)
    try {
      const { run_ids } = await post('/jobs/retry', { query: { stage: failure.stage, error: failure.error.slice(0, 500) } })
      announce(`${count(run_ids.length, 'document')} resumed.`)
      await client.invalidateQueries({ queryKey: ['operations'] })
      void client.invalidateQueries({ queryKey: ['documents'] })
    } catch (error) {
      announce(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <tr>
      <th scope="row">{shortName(failure.stage)}</th>
      <td className="failure-text">{failure.error}</td>
      <td>{number(failure.jobs)}</td>
      <td className="align-right">
        <button
          type="button"
          className="button"
          disabled={busy}
          aria-label={`${words}: ${count(failure.jobs, 'document')}, ${failure.error}`}
          onClick={() => void retry()}
        >
          <Icon name="retry" />
          {words}
        </button>
      </td>
    </tr>
  )
}

function Providers({ providers, gates, now }: Pick<Overview, 'providers' | 'gates'> & { now: number }) {
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">Providers</h2>
      {gates.map((gate) => (
        <Notice key={gate.provider} tone="waiting">
          <p>{shut(gate, now)}</p>
        </Notice>
      ))}
      {providers.length ? (
        <Table head={['Provider', 'Model', 'Now', 'Calls made', 'Reused', 'Paid twice', 'Cost']}>
          {providers.map((one) => (
            <tr key={`${one.provider}/${one.model}`}>
              <th scope="row">{one.provider}</th>
              <td className="mono">{one.model}</td>
              <td className={one.busy_until === null ? 'quiet' : 'is-waiting'}>{busy(one, now)}</td>
              <td>{number(one.made)}</td>
              <td>{number(one.reused)}</td>
              <PaidTwice provider={one} />
              <td>{dollars(one.cost)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">No provider was asked yet.</p>
      )}
    </section>
  )
}

/** What is made on this machine costs nothing, however often it is made. */
function PaidTwice({ provider }: { provider: Overview['providers'][number] }) {
  if (provider.provider === 'local') return <td className="quiet">–</td>
  return <td className={provider.paid_twice ? 'is-bad' : undefined}>{number(provider.paid_twice)}</td>
}

/** `openai is left alone for 14 s: it asks to slow down`. */
export function shut(gate: Overview['gates'][number], now: number): string {
  const left = Math.max(1, Math.ceil((Date.parse(gate.closed_until) - now) / 1_000))
  return `${gate.provider} is left alone for ${seconds(left)}${gate.reason ? `: ${gate.reason}` : ''}`
}

/** `busy for 14 s, 3 documents wait`. */
export function busy(provider: Overview['providers'][number], now: number): string {
  if (provider.busy_until === null) return 'free'
  const left = Math.max(0, Math.ceil((Date.parse(provider.busy_until) - now) / 1_000))
  const waiting = count(provider.waiting, 'document waits', 'documents wait')
  return left ? `busy for ${seconds(left)}, ${waiting}` : `free again, ${waiting}`
}
