// The React context of the page's upload queue.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { connection } from '../api/connection'
import { keys } from '../api/key'
import { statusKey } from '../api/status'
import { addDocument } from '../library/list'
import { useStore } from '../parts/store'
import { hasEnded, type Upload, UploadQueue } from './queue'
import { send } from './send'

const Context = createContext<UploadQueue | null>(null)

export function Uploads({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [queue] = useState(() => makeQueue(client))
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.get().state === 'online') queue.resume()
      }),
    [queue],
  )
  useLeavingWarning(queue)
  return <Context value={queue}>{children}</Context>
}

function makeQueue(client: QueryClient): UploadQueue {
  return new UploadQueue(send, (document) => {
    addDocument(client, document)
    if (document.version > 1) {
      // The document shows its old content until the new version is published.
      for (const query of ['document', 'versions']) void client.invalidateQueries({ queryKey: [query, document.id] })
    }
    void client.invalidateQueries({ queryKey: statusKey(document.id) })
  })
}

export function useUploadQueue(): UploadQueue {
  const queue = useContext(Context)
  if (!queue) throw new Error('Uploads is missing above this component.')
  return queue
}

export function useUploads(): readonly Upload[] {
  return useStore(useUploadQueue().uploads)
}

/** Warns before the tab is closed while files are being uploaded. */
function useLeavingWarning(queue: UploadQueue): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      const uploading = queue.uploads.get().some((upload) => !hasEnded(upload.state))
      if (uploading && keys.get().required === 'no') event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [queue])
}
