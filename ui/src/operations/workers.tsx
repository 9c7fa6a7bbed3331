// Who is alive, and what each is doing; an idle worker is as good a sign as a busy one.
import type { View } from '../api/client'
import { keys } from '../api/key'
import { useStore } from '../parts/store'
import { documentPlace, hrefTo } from '../route'
import { ago, number, seconds } from '../words/format'
import { counting, doing, shortName } from '../words/stages'
import { list } from '../words/story'
import { Table } from './table'

type Worker = View<'WorkerView'>

export function Workers({ workers, now }: { workers: Worker[]; now: number }) {
  const shared = useStore(keys).key !== null
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      {workers.length ? (
        <Table head={['Worker', 'Doing', 'Jobs', 'Serves', 'Running for', 'Last sign of life']}>
          {workers.map((worker) => (
            <tr key={worker.worker}>
              <th scope="row" title={worker.worker}>
                {nameOf(worker)}
              </th>
              <td className="worker-doing">
                <Doing worker={worker} now={now} shared={shared} />
              </td>
              <td>{worker.slots === null ? number(worker.jobs.length) : `${number(worker.jobs.length)} of ${number(worker.slots)}`}</td>
              <td>{serves(worker)}</td>
              <td>{worker.started_at === null ? '' : seconds((now - Date.parse(worker.started_at)) / 1_000)}</td>
              <td>{ago(worker.seen_at, now)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p className="quiet">No worker has been heard of in the last two minutes. What waits goes on as soon as one is started.</p>
      )}
    </section>
  )
}

function Doing({ worker, now, shared }: { worker: Worker; now: number; shared: boolean }) {
  if (!worker.jobs.length) return <span className="quiet">{idle(shared)}</span>
  return (
    <ul>
      {worker.jobs.map((job) => (
        <li key={`${job.document_id}/${job.stage}`}>
          {doing(job.stage)}:{' '}
          <a href={hrefTo(documentPlace(job.document_id))} title={job.document_name}>
            {job.document_name}
          </a>
          <span className="quiet">{since(job, now)}</span>
        </li>
      ))}
    </ul>
  )
}

function serves(worker: Worker): string {
  if (worker.slots === null) return ''
  return worker.stages.length ? list(worker.stages.map(shortName)) : 'every stage'
}

/** A worker may well be busy for somebody else, which nobody is told. */
function idle(shared: boolean): string {
  return shared ? 'nothing of yours' : 'idle'
}

/** `quay, process 4711`; a worker that has not said who it is has its name only. */
export function nameOf(worker: Worker): string {
  return worker.host === null ? worker.worker : `${worker.host}, process ${worker.pid}`
}

/** `, chunk 76 of 406, 12 s`. */
export function since(job: Worker['jobs'][number], now: number): string {
  const passed = job.since === null ? null : seconds(Math.max(0, (now - Date.parse(job.since)) / 1_000))
  return [counting(job.stage, job.done, job.total), passed].map((part) => (part === null ? '' : `, ${part}`)).join('')
}
