// The table of workers and their jobs.
import type { View } from '../api/client'
import { keys } from '../api/key'
import { useStore } from '../parts/store'
import { documentRoute, hrefTo } from '../route'
import { ago, number, seconds } from '../words/format'
import { progressText, stageLabel, stageList } from '../words/stages'
import { Table } from './table'

type Worker = View<'WorkerView'>

export function Workers({ workers, now }: { workers: Worker[]; now: number }) {
  const shared = useStore(keys).key !== null
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      {workers.length ? (
        <Table head={['Worker', 'Current jobs', 'Slots used', 'Stages', 'Uptime', 'Last seen']}>
          {workers.map((worker) => (
            <tr key={worker.worker}>
              <th scope="row" title={worker.worker}>
                {nameOf(worker)}
              </th>
              <td className="worker-jobs">
                <Jobs worker={worker} now={now} shared={shared} />
              </td>
              <td>{worker.slots === null ? number(worker.jobs.length) : `${number(worker.jobs.length)} of ${number(worker.slots)}`}</td>
              <td>{stagesOf(worker)}</td>
              <td>{worker.started_at === null ? '' : seconds((now - Date.parse(worker.started_at)) / 1_000)}</td>
              <td>{ago(worker.seen_at, now)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">No worker was seen in the last 2 minutes. Start one to process the queue.</p>
      )}
    </section>
  )
}

function Jobs({ worker, now, shared }: { worker: Worker; now: number; shared: boolean }) {
  if (!worker.jobs.length) return <span className="quiet">{idleText(shared)}</span>
  return (
    <ul>
      {worker.jobs.map((job) => (
        <li key={`${job.document_id}/${job.stage}`}>
          {stageLabel(job.stage)}:{' '}
          <a href={hrefTo(documentRoute(job.document_id))} title={job.document_name}>
            {job.document_name}
          </a>
          <span className="quiet">{jobDetails(job, now)}</span>
        </li>
      ))}
    </ul>
  )
}

function stagesOf(worker: Worker): string {
  if (worker.slots === null) return ''
  return worker.stages.length ? stageList(worker.stages) : 'all'
}

/** Jobs of other organizations are not shown, so a shared worker may not be idle. */
function idleText(shared: boolean): string {
  return shared ? 'no jobs of yours' : 'idle'
}

/** `host, process 4711`; a worker without registration has its name only. */
export function nameOf(worker: Worker): string {
  return worker.host === null ? worker.worker : `${worker.host}, process ${worker.pid}`
}

/** `, chunk 76 of 406, 12 s`. */
export function jobDetails(job: Worker['jobs'][number], now: number): string {
  const elapsed = job.since === null ? null : seconds(Math.max(0, (now - Date.parse(job.since)) / 1_000))
  return [progressText(job.progress), elapsed].map((part) => (part === null ? '' : `, ${part}`)).join('')
}
