// Original files. A browser cannot send the API key with `<img>` or `<audio>`, so with a key the file is fetched
// first and shown from memory; without one the browser streams it.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useStore } from '../parts/store'
import { request } from './client'
import { keys } from './key'
import { apiUrl } from './url'

export function originalUrl(id: string): string {
  return apiUrl('/documents/{id}/original', { id })
}

export function versionUrl(id: string, version: number): string {
  return `${originalUrl(id)}?version=${version}`
}

/** The audio of a call: the original recording, or the audio extracted from it. */
export function audioUrl(id: string): string {
  return apiUrl('/documents/{id}/audio', { id })
}

/** A source for `<img>` or `<audio>`; null while the file is being fetched. */
export function useOriginal(id: string, url: string = originalUrl(id)): { source: string | null; error: unknown } {
  const { key } = useStore(keys)
  const { data: blob, error } = useQuery({
    queryKey: ['original', url],
    queryFn: async ({ signal }) => (await request(url, { signal })).blob(),
    enabled: key !== null,
    staleTime: Infinity,
    gcTime: 0,
  })
  const [source, setSource] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const objectUrl = URL.createObjectURL(blob)
    setSource(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [blob])
  return key === null ? { source: url, error: null } : { source, error }
}

/** Saves an answer of the server as a file. */
export async function downloadFrom(url: string, name: string, options: RequestInit = {}): Promise<void> {
  const blob = await (await request(url, options)).blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
