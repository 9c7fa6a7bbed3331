// Actions on all documents that pass a filter. The server works on some of them in each request.
import type { QueryClient } from '@tanstack/react-query'
import { api, request, unwrap, type View } from './client'
import { apiUrl } from './url'

export type BulkRequest = Pick<View<'BulkRequest'>, 'action'> &
  Partial<Omit<View<'BulkRequest'>, 'action' | 'filter'>> & { filter: Partial<View<'DocumentFilter'>> }
type BulkBody = View<'BulkRequest'>

export interface BulkResult {
  changed: number
  failures: View<'BulkView'>['failures']
}

/** What the action would do: the number of documents, and what running them again would cost. */
export async function dryRun(body: BulkRequest): Promise<View<'BulkView'>> {
  return unwrap(api.POST('/documents/bulk', { body: { ...body, dry_run: true } as BulkBody }))
}

export async function runBulk(client: QueryClient, body: BulkRequest): Promise<BulkResult> {
  const result: BulkResult = { changed: 0, failures: [] }
  let after: string | null = null
  do {
    const answer: View<'BulkView'> = await unwrap(
      api.POST('/documents/bulk', { body: { ...body, after } as BulkBody }),
    )
    result.changed += answer.changed
    result.failures.push(...answer.failures)
    after = answer.next_after
  } while (after !== null)
  for (const key of ['documents', 'document', 'facets', 'status', 'runs', 'operations']) {
    void client.invalidateQueries({ queryKey: [key] })
  }
  return result
}

/** Downloads the fields of the documents as a file. */
export async function downloadFields(filter: Partial<View<'DocumentFilter'>>, format: 'csv' | 'json'): Promise<void> {
  const answer = await request(`${apiUrl('/documents/fields')}?format=${format}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(filter),
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = `fields.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
