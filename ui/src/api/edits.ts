// Edits of one document. They are stored beside what was extracted.
import type { QueryClient } from '@tanstack/react-query'
import { updateLists, withUpdate } from '../library/list'
import { api, unwrap, type View } from './client'

export type DocumentEdit = Partial<View<'EditRequest'>>

export async function editDocument(client: QueryClient, id: string, edit: DocumentEdit): Promise<void> {
  const document = await unwrap(
    api.PATCH('/documents/{document_id}', { params: { path: { document_id: id } }, body: edit as View<'EditRequest'> }),
  )
  client.setQueryData(['document', id], document)
  updateLists(client, (list) => withUpdate(list, document))
  void client.invalidateQueries({ queryKey: ['facets'] })
}

/** Gives a field another value; null shows the extracted value again. */
export async function editField(client: QueryClient, id: string, name: string, ordinal: number, value: string | null): Promise<void> {
  const fields = await unwrap(
    api.PATCH('/documents/{document_id}/fields', {
      params: { path: { document_id: id } },
      body: { edits: [{ name, ordinal, value }] },
    }),
  )
  client.setQueryData(['fields', id], fields)
}
