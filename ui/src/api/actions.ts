// Actions on documents. Each one refreshes the cached data of the document.
import type { QueryClient } from '@tanstack/react-query'
import { refetchDocument } from '../library/feed'
import { updateLists, withoutDocument } from '../library/list'
import { api, unwrap } from './client'
import { fetchStatus, fetchStatuses, isProcessing, type Status, statusKey } from './status'

export type Action = 'retry' | 'rerun' | 'cancel' | 'delete'

export interface RerunOptions {
  fromStage: string | null
  /** Ignore cached provider results. */
  fresh: boolean
  /** The password of a locked PDF. */
  password?: string
}

/** The stage at which an ended run stopped; null when all stages are completed. */
export function stoppedAt(status: Status): string | null {
  const unfinished = status.stages.find((stage) => stage.status !== 'COMPLETED')
  return unfinished?.name ?? null
}

/** Resumes the last run: retries its failed job, or starts a new run from the stage at which it stopped. */
export async function retry(client: QueryClient, id: string): Promise<void> {
  const status = await fetchStatus(id)
  const failed = status.stages.find((stage) => stage.status === 'FAILED' && stage.job_id !== null)
  if (failed?.job_id) await api.POST('/jobs/{job_id}/retry', { params: { path: { job_id: failed.job_id } } })
  else await startRun(id, { fromStage: resumeFrom(status), fresh: false })
  await refresh(client, id)
}

/** The stage from which a new run can start because all stages before it are completed; null for the first stage. */
export function resumeFrom(status: Status): string | null {
  const stopped = stoppedAt(status)
  return stopped === (status.stages[0]?.name ?? null) ? null : stopped
}

export async function rerun(client: QueryClient, id: string, options: RerunOptions): Promise<void> {
  await startRun(id, options)
  await refresh(client, id)
}

export async function cancel(client: QueryClient, id: string): Promise<void> {
  const { run } = await fetchStatus(id)
  if (run && ['QUEUED', 'RUNNING'].includes(run.state)) {
    await api.POST('/runs/{run_id}/cancel', { params: { path: { run_id: run.id } } })
  }
  await refresh(client, id)
}

const DOCUMENT_QUERIES = [
  'document', 'status', 'runs', 'costs', 'fields', 'content', 'chunks', 'connections', 'transcript', 'analysis',
]

export async function deleteDocument(client: QueryClient, id: string): Promise<void> {
  await api.DELETE('/documents/{document_id}', { params: { path: { document_id: id } } })
  updateLists(client, (list) => withoutDocument(list, id))
  for (const query of DOCUMENT_QUERIES) client.removeQueries({ queryKey: [query, id] })
}

/** The actions that are possible for a document. A rejected file would be rejected again, so it has no retry. */
export function actionsFor(status: string, failureType: string | null = null): Action[] {
  if (isProcessing(status)) return ['cancel', 'delete']
  if (failureType === 'REJECTED') return ['rerun', 'delete']
  return status === 'COMPLETED' ? ['rerun', 'delete'] : ['retry', 'rerun', 'delete']
}

/** Applies an action to many documents, four at a time. Returns the number of failures. */
export async function forEachDocument(ids: readonly string[], act: (id: string) => Promise<void>): Promise<number> {
  const remaining = [...ids]
  let failures = 0
  const work = async () => {
    for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) {
      await act(id).catch(() => {
        failures += 1
      })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  return failures
}

async function startRun(id: string, { fromStage, fresh, password }: RerunOptions): Promise<void> {
  const params = { path: { document_id: id } }
  const body = { from_stage: fromStage, fresh, full_text: false, password: password ?? null }
  await unwrap(api.POST('/documents/{document_id}/runs', { params, body }))
}

async function refresh(client: QueryClient, id: string): Promise<void> {
  await Promise.all([fetchStatuses(client, [id]), refetchDocument(client, id)])
  void client.invalidateQueries({ queryKey: statusKey(id) })
  void client.invalidateQueries({ queryKey: ['runs', id] })
  void client.invalidateQueries({ queryKey: ['operations'] })
}
