// The history of a document: costs, stages of the last run, and all runs with their events, newest first.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { View } from '../api/client'
import { costsQuery, runsQuery } from '../api/queries'
import type { Status } from '../api/status'
import { segmentFill, segmentClass } from '../parts/stage-bar'
import { Badge, Loading, ErrorNotice } from '../parts/notices'
import { eventText } from '../words/events'
import { count, dateTime, dollars, number, seconds, timeOfDay } from '../words/format'
import { progressText } from '../words/stages'
import type { Tone } from '../words/status-message'
import { waitingText } from '../words/waiting'

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
  WAITING: 'not started',
  PENDING: 'waiting',
  PROCESSING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  SKIPPED: 'skipped',
}

export function History({ id, status }: { id: string; status: Status | undefined }) {
  const runs = useQuery(runsQuery(id))
  const { refetch } = runs
  // The status is polled; the history is fetched again when the status changes.
  useEffect(() => {
    if (status) void refetch()
  }, [status?.updated_at, status?.run?.id, status?.run?.state, refetch])
  if (runs.error) return <ErrorNotice error={runs.error} />
  if (!runs.data) return <Loading what="Loading the history" />
  const newestFirst = runs.data.map((run, index) => ({ run, index })).reverse()
  return (
    <div className="history">
      <Costs id={id} runState={status?.run?.state} />
      {status && status.stages.length > 0 && <Stages status={status} />}
      {newestFirst.map(({ run, index }) => (
        <RunCard key={run.id} run={run} index={index} runs={runs.data} open={index === runs.data.length - 1} />
      ))}
    </div>
  )
}

function Costs({ id, runState }: { id: string; runState: string | undefined }) {
  const { data: costs, refetch } = useQuery(costsQuery(id))
  useEffect(() => {
    void refetch()
  }, [runState, refetch])
  if (!costs) return null
  return (
    <dl className="figures">
      <div>
        <dt>Paid</dt>
        <dd>{dollars(costs.cost)}</dd>
      </div>
      <div>
        <dt>Provider calls</dt>
        <dd>{number(costs.calls)}</dd>
      </div>
      <div>
        <dt>Cached results reused</dt>
        <dd>{number(costs.reused)}</dd>
      </div>
      <div title="An attempt was interrupted before its result was stored, so the call was repeated; the provider may have charged twice">
        <dt>Repeated calls</dt>
        <dd>{number(costs.repeated)}</dd>
      </div>
    </dl>
  )
}

function Stages({ status }: { status: Status }) {
  return (
    <table className="stages">
      <caption>{status.run?.state === 'RUNNING' ? 'Current run' : 'Last run'}</caption>
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
            <th scope="row">{stage.label}</th>
            <td>
              <span className={segmentClass(stage)}>
                <i style={{ transform: `scaleX(${segmentFill(stage)})` }} />
              </span>
              <span className="quiet small">
                {stage.reused ? 'reused' : (progressText(stage.progress) ?? (STAGES[stage.status] ?? stage.status.toLowerCase()))}
                {stage.attempts > 0 && !stage.reused ? `, ${count(stage.attempts, 'error')}` : ''}
                {stage.crashes > 0 ? `, ${count(stage.crashes, 'crash', 'crashes')}` : ''}
              </span>
              {stage.result && <Result result={stage.result} />}
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

/** What a stage of a package returned, without knowing it: names and values as they are. */
function Result({ result }: { result: Record<string, unknown> }) {
  const entries = Object.entries(result)
  if (entries.length === 0) return null
  return (
    <dl className="stage-result">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function calls({ calls_made, calls_reused }: View<'StageView'>): string {
  if (!calls_made && !calls_reused) return ''
  return calls_reused ? `${calls_made} + ${calls_reused} reused` : String(calls_made)
}

function RunCard({ run, index, runs, open }: { run: Run; index: number; runs: readonly Run[]; open: boolean }) {
  const [tone, label] = goesOn(run, runs) ?? STATES[run.state] ?? ['quiet', run.state]
  const resumedIndex = runs.findIndex((other) => other.id === run.resumes_run_id)
  const duration =
    run.started_at && run.ended_at ? seconds((Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1_000) : null
  const reusedFrom = resumedIndex >= 0 ? `run ${resumedIndex + 1}` : undefined
  return (
    <details className="run" open={open}>
      <summary>
        <strong>Run {index + 1}</strong>
        <Badge tone={tone}>{label}</Badge>
        <span className="quiet small">
          {[dateTime(run.created_at), duration && `took ${duration}`, resumedIndex >= 0 && `resumes run ${resumedIndex + 1}`]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </summary>
      {errorOf(run, runs) && <p className="run-error">{errorOf(run, runs)}</p>}
      {run.waiting_reason && (
        <p className="quiet small">
          {waitingText({ reason: run.waiting_reason, provider: run.waiting_provider, detail: run.waiting_detail })}
        </p>
      )}
      <ol className="events">
        {run.events.map((event) => {
          const { tone: colour, what, more } = eventText(event, run.events, reusedFrom)
          return (
            <li key={event.id} className={colour}>
              <time dateTime={event.at}>{timeOfDay(event.at)}</time>
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

/** The badge of a run that stopped by itself and goes on in a later run: not a failure. */
function goesOn(run: Run, runs: readonly Run[]): [Tone, string] | null {
  const next = runs.find((other) => other.resumes_run_id === run.id)
  if (next?.reason === 'continued') return ['quiet', 'Continued']
  return next?.reason === 'resumed' ? ['quiet', 'Interrupted'] : null
}

/** The error of a run. A run that a restart ended was resumed by a later run unless recovery is off. */
function errorOf(run: Run, runs: readonly Run[]): string | null {
  if (run.failure_type !== 'PROCESS_TERMINATED') return run.error
  const resumed = runs.some((other) => other.resumes_run_id === run.id)
  return `The server stopped while this was running${resumed ? '; it resumed automatically' : ''}.`
}
