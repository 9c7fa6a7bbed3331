// Runs of all documents, filtered by name, error, stage, state and time.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '../api/client'
import { useNow } from '../parts/now'
import { ErrorNotice } from '../parts/notices'
import { documentRoute, hrefTo } from '../route'
import { ago, dateTime, seconds } from '../words/format'
import LABELS from '../words/stage-labels.json'
import { stageLabel } from '../words/stages'
import { labelOf } from '../words/status-message'
import { Table } from './table'

const STATES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'] as const
const TIMES: [string, number][] = [
  ['Any time', 0],
  ['Last hour', 3_600],
  ['Last day', 86_400],
  ['Last week', 7 * 86_400],
]
const DEBOUNCE = 250
const NO_FILTER = { name: '', error: '', stage: '', state: '', seconds: 0 }

export function Runs() {
  const [filter, setFilter] = useState(NO_FILTER)
  const [applied, setApplied] = useState(NO_FILTER)
  useEffect(() => {
    const timer = setTimeout(() => setApplied(filter), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [filter])
  const now = useNow(true, 5_000)
  const { data, error } = useQuery({
    queryKey: ['operations', 'runs', applied],
    queryFn: ({ signal }) => unwrap(api.GET('/runs', { params: { query: queryOf(applied) }, signal })),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })
  const set = (change: Partial<typeof NO_FILTER>) => setFilter({ ...filter, ...change })
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <div className="inline-form" role="search" aria-label="Filter runs">
        <input type="search" className="input" placeholder="Name" aria-label="Name of the document" value={filter.name} onChange={(event) => set({ name: event.target.value })} />
        <input type="search" className="input" placeholder="Error" aria-label="Part of the error" value={filter.error} onChange={(event) => set({ error: event.target.value })} />
        <select className="select" aria-label="Stage of the run" value={filter.stage} onChange={(event) => set({ stage: event.target.value })}>
          <option value="">All stages</option>
          {Object.keys(LABELS).map((stage) => (
            <option key={stage} value={stage}>
              {stageLabel(stage)}
            </option>
          ))}
        </select>
        <select className="select" aria-label="State of the run" value={filter.state} onChange={(event) => set({ state: event.target.value })}>
          <option value="">All states</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {stateLabel(state)}
            </option>
          ))}
        </select>
        <select className="select" aria-label="Time of the run" value={filter.seconds} onChange={(event) => set({ seconds: Number(event.target.value) })}>
          {TIMES.map(([label, value]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {error && !data ? (
        <ErrorNotice error={error} />
      ) : data?.length ? (
        <Table head={['Document', 'State', 'Stage', 'Error', 'Took', 'Queued']}>
          {data.map((run) => (
            <tr key={run.id}>
              <th scope="row" className="run-name">
                <a href={hrefTo(documentRoute(run.document_id))} dir="auto">
                  {run.document_name}
                </a>
              </th>
              <td>{stateLabel(run.state)}</td>
              <td>{run.stage === null || run.state === 'COMPLETED' ? '' : stageLabel(run.stage)}</td>
              <td className="failure-text">{run.error}</td>
              <td>{run.started_at && run.ended_at ? seconds((Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1_000) : ''}</td>
              <td>
                <time dateTime={run.created_at} title={dateTime(run.created_at)}>
                  {ago(run.created_at, now)}
                </time>
              </td>
            </tr>
          ))}
        </Table>
      ) : (
        data && <p className="quiet">No run matches.</p>
      )}
    </section>
  )
}

function stateLabel(state: string): string {
  return { QUEUED: 'Queued', RUNNING: 'Running' }[state] ?? labelOf(state)[1]
}

function queryOf({ name, error, stage, state, seconds: age }: typeof NO_FILTER) {
  return {
    ...(name ? { name } : {}),
    ...(error ? { error } : {}),
    ...(stage ? { stage } : {}),
    ...(state ? { state: state as (typeof STATES)[number] } : {}),
    ...(age ? { created_from: new Date(Date.now() - age * 1_000).toISOString() } : {}),
    limit: 50,
  }
}
