// The runs of a document, newest first: what happened, what was reused, what it cost.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { View } from '../api/client'
import { costsQuery, runsQuery } from '../api/queries'
import type { Status } from '../api/status'
import { filled, lockClass } from '../parts/ladder'
import { Badge, Loading, Trouble } from '../parts/pieces'
import { happening } from '../words/events'
import { clock, count, dollars, moment, number, seconds } from '../words/format'
import { counting, shortName } from '../words/stages'
import type { Tone } from '../words/story'

type Run = View<'RunHistoryView'>

const STATES: Record<string, [Tone, string]> = {
  QUEUED: ['waiting', 'Queued'],
  RUNNING: ['busy', 'Running'],
  COMPLETED: ['good', 'Completed'],
  FAILED: ['bad', 'Failed'],
  TIMED_OUT: ['bad', 'Timed out'],
  CANCELLED: ['quiet', 'Cancelled'],
}

const STAGES: Record<string, string> = {
  WAITING: 'to come',
  PENDING: 'waiting',
  PROCESSING: 'at work',
  COMPLETED: 'done',
  CANCELLED: 'stopped',
  SKIPPED: 'not reached',
}

export function History({ id, status }: { id: string; status: Status | undefined }) {
  const runs = useQuery(runsQuery(id))
  const { refetch } = runs
  // The status is what is polled; whenever it has news, so has the history.
  useEffect(() => {
    if (status) void refetch()
  }, [status?.updated_at, status?.run?.id, status?.run?.state, refetch])
  if (runs.error) return <Trouble error={runs.error} />
  if (!runs.data) return <Loading what="Fetching the history" />
  const newestFirst = runs.data.map((run, index) => ({ run, index })).reverse()
  return (
    <div className="history">
      <Costs id={id} settled={status?.run?.state} />
      {status && status.stages.length > 0 && <Stages status={status} />}
      {newestFirst.map(({ run, index }) => (
        <RunCard key={run.id} run={run} index={index} runs={runs.data} open={index === runs.data.length - 1} />
      ))}
    </div>
  )
}

function Costs({ id, settled }: { id: string; settled: string | undefined }) {
  const { data: costs, refetch } = useQuery(costsQuery(id))
  useEffect(() => {
    void refetch()
  }, [settled, refetch])
  if (!costs) return null
  return (
    <dl className="figures">
      <div>
        <dt>Paid</dt>
        <dd>{dollars(costs.cost)}</dd>
      </div>
      <div>
        <dt>Calls made</dt>
        <dd>{number(costs.calls)}</dd>
      </div>
      <div>
        <dt>Answers reused</dt>
        <dd>{number(costs.reused)}</dd>
      </div>
      <div title="An earlier try was cut off before its answer came; with a provider that charges, it may have been paid">
        <dt>Made again</dt>
        <dd>{number(costs.reopened)}</dd>
      </div>
    </dl>
  )
}

function Stages({ status }: { status: Status }) {
  return (
    <table className="stages">
      <caption>{status.run?.state === 'RUNNING' ? 'The run going on' : 'The last run'}</caption>
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Progress</th>
          <th scope="col" className="align-right">
            Time
          </th>
          <th scope="col" className="align-right">
            Calls
          </th>
          <th scope="col" className="align-right">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {status.stages.map((stage) => (
          <tr key={stage.name}>
            <th scope="row">{shortName(stage.name)}</th>
            <td>
              <span className={lockClass(stage)}>
                <i style={{ transform: `scaleX(${filled(stage)})` }} />
              </span>
              <span className="quiet small">
                {stage.reused ? 'reused' : (counting(stage.name, stage.done, stage.total) ?? (STAGES[stage.status] ?? stage.status.toLowerCase()))}
                {stage.attempts > 0 && !stage.reused ? `, ${count(stage.attempts, 'error')}` : ''}
                {stage.crashes > 0 ? `, ${count(stage.crashes, 'crash', 'crashes')}` : ''}
              </span>
            </td>
            <td className="align-right">{stage.reused || stage.seconds === null ? '' : seconds(stage.seconds)}</td>
            <td className="align-right">{calls(stage)}</td>
            <td className="align-right">{stage.calls_made + stage.calls_reused ? dollars(stage.cost) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function calls({ calls_made, calls_reused }: View<'StageView'>): string {
  if (!calls_made && !calls_reused) return ''
  return calls_reused ? `${calls_made} + ${calls_reused} reused` : String(calls_made)
}

function RunCard({ run, index, runs, open }: { run: Run; index: number; runs: readonly Run[]; open: boolean }) {
  const [tone, label] = STATES[run.state] ?? ['quiet', run.state]
  const resumed = runs.findIndex((other) => other.id === run.resumes_run_id)
  const spent =
    run.started_at && run.ended_at ? seconds((Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1_000) : null
  return (
    <details className="run" open={open}>
      <summary>
        <strong>Run {index + 1}</strong>
        <Badge tone={tone}>{label}</Badge>
        <span className="quiet small">
          {[moment(run.created_at), spent && `took ${spent}`, resumed >= 0 && `goes on from run ${resumed + 1}`]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </summary>
      {run.error && <p className="run-error">{run.error}</p>}
      <ol className="events">
        {run.events.map((event) => {
          const { tone: colour, what, more } = happening(event, run.events)
          return (
            <li key={event.id} className={colour}>
              <time dateTime={event.at}>{clock(event.at)}</time>
              <div>
                {what}
                {more && <p className="quiet small">{more}</p>}
              </div>
            </li>
          )
        })}
      </ol>
    </details>
  )
}
