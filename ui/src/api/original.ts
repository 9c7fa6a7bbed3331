// The bytes as they were sent. A browser cannot send our key with a picture or a sound, so with a key they are
// fetched first and shown from memory; without one the browser streams them by itself.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useStore } from '../parts/store'
import { request } from './client'
import { keys } from './key'
import { fill, place } from './place'

export function originalAddress(id: string): string {
  return place(fill('/documents/{id}/original', { id }))
}

/** The sound of a call: the recording as it was sent, or what was kept of it. */
export function audioAddress(id: string): string {
  return place(fill('/documents/{id}/audio', { id }))
}

/** An address for `<img>` or `<audio>`; null while it is being fetched. */
export function useOriginal(id: string, at: string = originalAddress(id)): { address: string | null; error: unknown } {
  const { key } = useStore(keys)
  const { data: blob, error } = useQuery({
    queryKey: ['original', at],
    queryFn: async ({ signal }) => (await request(at, { signal })).blob(),
    enabled: key !== null,
    staleTime: Infinity,
    gcTime: 0,
  })
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return key === null ? { address: at, error: null } : { address, error }
}

export async function download(id: string, name: string): Promise<void> {
  const blob = await (await request(originalAddress(id))).blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
