// How far the uploaded files are processed: `37 of 60 processed, about 2 min`.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { fetchStatuses, isProcessing } from '../api/status'
import { number } from '../words/format'
import type { Upload } from './queue'

/** Milliseconds between two requests while files of the batch are processed. */
const INTERVAL = 2_000
/** Documents of one request. */
const MAX_IDS = 100

export interface Batch {
  done: number
  total: number
  /** Seconds since the first upload of the batch. */
  elapsed: number
}

/** The text of a batch. The time is an estimate from the files that are done; there is none before the third. */
export function batchText({ done, total, elapsed }: Batch): string {
  const text = `${number(done)} of ${number(total)} processed`
  if (done >= total || done < 3) return text
  const left = (elapsed / done) * (total - done)
  return `${text}, ${left < 60 ? 'less than a minute' : `about ${number(Math.round(left / 60))} min`}`
}

/** The progress of the listed uploads; null while none is stored. */
export function useBatch(uploads: readonly Upload[]): Batch | null {
  const client = useQueryClient()
  const finished = useRef(new Set<string>())
  const startedAt = useRef<number | null>(null)
  if (!uploads.length) {
    finished.current.clear()
    startedAt.current = null
  } else startedAt.current ??= Date.now()
  const stored = uploads.flatMap(({ state }) => (state.phase === 'stored' ? [state.document] : []))
  const ids = [...new Set(stored.filter((document) => isProcessing(document.status)).map(({ id }) => id))]
  const unfinished = ids.filter((id) => !finished.current.has(id))
  useQuery({
    queryKey: ['batch', ids.length],
    queryFn: async ({ signal }) => {
      const asked = ids.filter((id) => !finished.current.has(id)).slice(0, MAX_IDS)
      if (asked.length) {
        const statuses = new Map((await fetchStatuses(client, asked, signal)).map((status) => [status.document_id, status.status]))
        // A document that was deleted has no status.
        for (const id of asked) if (!isProcessing(statuses.get(id))) finished.current.add(id)
      }
      return finished.current.size
    },
    enabled: unfinished.length > 0,
    refetchInterval: INTERVAL,
    staleTime: 0,
    gcTime: 0,
  })
  if (!stored.length) return null
  const failed = uploads.filter(({ state }) => state.phase === 'refused' || state.phase === 'cancelled').length
  return {
    done: stored.length - unfinished.length,
    total: uploads.length - failed,
    elapsed: (Date.now() - (startedAt.current ?? Date.now())) / 1_000,
  }
}
