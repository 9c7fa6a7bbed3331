// Uploads one file. It uses XMLHttpRequest because fetch reports no upload progress.
import type { View } from '../api/client'
import { markReachable, markUnreachable } from '../api/connection'
import { authorization, keys, requireKey } from '../api/key'
import { apiUrl } from '../api/url'
import { isServerAway, type Problem, problemFrom } from '../api/problem'

export type Uploaded = View<'UploadView'>

export type UploadResult =
  | { outcome: 'stored'; document: Uploaded }
  | { outcome: 'refused'; problem: Problem }
  | { outcome: 'unreachable' }
  | { outcome: 'cancelled' }

export interface UploadHandle {
  result: Promise<UploadResult>
  cancel(): void
}

/** The document whose next version a file is: by its key, or by its id. */
export interface VersionTarget {
  key?: string | null
  replaces?: string | null
}

export type SendFile = (
  file: File,
  idempotencyKey: string,
  onProgress: (sent: number) => void,
  collection?: string | null,
  target?: VersionTarget,
) => UploadHandle

export const send: SendFile = (file, idempotencyKey, onProgress, collection = null, target = {}) => {
  const request = new XMLHttpRequest()
  const result = new Promise<UploadResult>((resolve) => {
    request.upload.onprogress = (event) => onProgress(event.lengthComputable ? event.loaded / event.total : 0)
    request.onabort = () => resolve({ outcome: 'cancelled' })
    request.onerror = () => {
      markUnreachable()
      resolve({ outcome: 'unreachable' })
    }
    request.onload = () => resolve(resultOf(request))
  })
  request.open('POST', target.replaces ? apiUrl('/documents/{id}/versions', { id: target.replaces }) : apiUrl('/documents'))
  for (const [name, value] of Object.entries({ ...authorization(), 'Idempotency-Key': idempotencyKey })) {
    request.setRequestHeader(name, value)
  }
  const body = new FormData()
  if (collection !== null) body.append('collection', collection)
  if (target.key) body.append('key', target.key)
  body.append('file', file, file.name)
  request.send(body)
  return { result, cancel: () => request.abort() }
}

function resultOf(request: XMLHttpRequest): UploadResult {
  if (isServerAway(request.status, request.getResponseHeader('content-type'))) {
    markUnreachable()
    return { outcome: 'unreachable' }
  }
  markReachable()
  if (request.status === 401) requireKey(keys.get().key !== null)
  const body = parseJson(request.responseText)
  if (request.status === 200 && body !== null) return { outcome: 'stored', document: body as Uploaded }
  return { outcome: 'refused', problem: problemFrom(request.status, body) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
