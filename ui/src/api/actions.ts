// What a person can do to documents. Afterwards everything that shows the document is told.
import type { QueryClient } from '@tanstack/react-query'
import { renew } from '../library/feed'
import { changeLists, without } from '../library/list'
import { get, post, remove } from './client'
import { fetchStatuses, isGoing, type Status, statusKey } from './status'

export type Verb = 'retry' | 'rerun' | 'cancel' | 'delete'

export interface Rerun {
  fromStage: string | null
  fresh: boolean
}

/** The stage at which an ended run stopped; null when it ended well or never began. */
export function stoppedAt(status: Status): string | null {
  const unfinished = status.stages.find((stage) => stage.status !== 'COMPLETED')
  return unfinished?.name ?? null
}

/** Go on where the last run stopped: a failed job is resumed, a stopped run is begun anew from its stage. */
export async function retry(client: QueryClient, id: string): Promise<void> {
  const status = await get('/documents/{document_id}/status', { path: { document_id: id } })
  const failed = status.stages.find((stage) => stage.status === 'FAILED' && stage.job_id !== null)
  if (failed?.job_id) await post('/jobs/{job_id}/retry', { path: { job_id: failed.job_id } })
  else await post('/documents/{document_id}/runs', { path: { document_id: id }, body: wish(resumeFrom(status), false) })
  await afterwards(client, id)
}

/** A stage to start from, when there are finished ones before it to take over. */
export function resumeFrom(status: Status): string | null {
  const stopped = stoppedAt(status)
  return stopped === (status.stages[0]?.name ?? null) ? null : stopped
}

export async function rerun(client: QueryClient, id: string, { fromStage, fresh }: Rerun): Promise<void> {
  await post('/documents/{document_id}/runs', { path: { document_id: id }, body: wish(fromStage, fresh) })
  await afterwards(client, id)
}

export async function cancel(client: QueryClient, id: string): Promise<void> {
  const status = await get('/documents/{document_id}/status', { path: { document_id: id } })
  if (status.run && ['QUEUED', 'RUNNING'].includes(status.run.state)) {
    await post('/runs/{run_id}/cancel', { path: { run_id: status.run.id } })
  }
  await afterwards(client, id)
}

export async function destroy(client: QueryClient, id: string): Promise<void> {
  await remove('/documents/{document_id}', { path: { document_id: id } })
  changeLists(client, (list) => without(list, id))
  for (const about of ['document', 'status', 'runs', 'costs', 'fields', 'content', 'chunks', 'connections', 'transcript', 'analysis']) {
    client.removeQueries({ queryKey: [about, id] })
  }
}

/** Which verbs make sense for a document in this state. What can never be read is not worth a retry. */
export function verbsFor(status: string, failureType: string | null = null): Verb[] {
  if (isGoing(status)) return ['cancel', 'delete']
  if (failureType === 'REJECTED') return ['rerun', 'delete']
  return status === 'COMPLETED' ? ['rerun', 'delete'] : ['retry', 'rerun', 'delete']
}

/** Do something to many documents, a few at a time; how many it could not be done to. */
export async function each(ids: readonly string[], act: (id: string) => Promise<void>): Promise<number> {
  const waiting = [...ids]
  let failures = 0
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await act(id).catch(() => {
        failures += 1
      })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  return failures
}

async function afterwards(client: QueryClient, id: string): Promise<void> {
  await Promise.all([fetchStatuses(client, [id]), renew(client, id)])
  void client.invalidateQueries({ queryKey: statusKey(id) })
  void client.invalidateQueries({ queryKey: ['runs', id] })
  void client.invalidateQueries({ queryKey: ['operations'] })
}

function wish(fromStage: string | null, fresh: boolean) {
  return { from_stage: fromStage, fresh }
}
