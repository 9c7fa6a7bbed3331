// One file to the server. XMLHttpRequest, because fetch does not tell how much of an upload has gone.
import type { View } from '../api/client'
import { answered, silent } from '../api/connection'
import { authorization, keyWanted, keys } from '../api/key'
import { place } from '../api/place'
import { meansAway, type Problem, problemFrom } from '../api/problem'

export type Uploaded = View<'UploadView'>

export type Sent =
  | { outcome: 'stored'; document: Uploaded }
  | { outcome: 'refused'; problem: Problem }
  | { outcome: 'unreachable' }
  | { outcome: 'cancelled' }

export interface Sending {
  result: Promise<Sent>
  cancel(): void
}

export type Send = (file: File, key: string, onProgress: (sent: number) => void) => Sending

export const send: Send = (file, key, onProgress) => {
  const request = new XMLHttpRequest()
  const result = new Promise<Sent>((resolve) => {
    request.upload.onprogress = (event) => onProgress(event.lengthComputable ? event.loaded / event.total : 0)
    request.onabort = () => resolve({ outcome: 'cancelled' })
    request.onerror = () => {
      silent()
      resolve({ outcome: 'unreachable' })
    }
    request.onload = () => resolve(understood(request))
  })
  request.open('POST', place('/documents'))
  for (const [name, value] of Object.entries({ ...authorization(), 'Idempotency-Key': key })) {
    request.setRequestHeader(name, value)
  }
  const body = new FormData()
  body.append('file', file, file.name)
  request.send(body)
  return { result, cancel: () => request.abort() }
}

function understood(request: XMLHttpRequest): Sent {
  if (meansAway(request.status, request.getResponseHeader('content-type'))) {
    silent()
    return { outcome: 'unreachable' }
  }
  answered()
  if (request.status === 401) keyWanted(keys.get().key !== null)
  const body = parsed(request.responseText)
  if (request.status === 200 && body !== null) return { outcome: 'stored', document: body as Uploaded }
  return { outcome: 'refused', problem: problemFrom(request.status, body) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
