// The one queue of the page, known to every view.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { connection } from '../api/connection'
import { keys } from '../api/key'
import { statusKey } from '../api/status'
import { arrived } from '../library/list'
import { useStore } from '../parts/store'
import { isOver, type Upload, UploadQueue } from './queue'
import { send } from './send'

const Context = createContext<UploadQueue | null>(null)

export function Uploads({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [queue] = useState(() => makeQueue(client))
  useEffect(
    () =>
      connection.follow(() => {
        if (connection.get().state === 'fine') queue.resume()
      }),
    [queue],
  )
  useLeavingWarning(queue)
  return <Context value={queue}>{children}</Context>
}

function makeQueue(client: QueryClient): UploadQueue {
  return new UploadQueue(send, (document) => {
    arrived(client, document)
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

/** What is still in the browser only would be lost with the tab. */
function useLeavingWarning(queue: UploadQueue): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      const onTheWay = queue.uploads.get().some((upload) => !isOver(upload.state))
      if (onTheWay && keys.get().wanted === 'no') event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [queue])
}
