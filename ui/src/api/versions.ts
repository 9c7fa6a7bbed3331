// Queries of the versions of a document.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap, type View } from './client'

export type Version = View<'VersionView'>

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['versions', id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/documents/{document_id}/versions', { params: { path: { document_id: id } }, signal })),
  })

export const diffQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['diff', id, from, to],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/documents/{document_id}/diff', { params: { path: { document_id: id }, query: { from, to } }, signal }),
      ),
  })
