// The title of a document, which a person can change. The extracted one is kept.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { editDocument } from '../api/edits'
import { errorText } from '../api/problem'
import type { Document } from '../library/list'
import { announce } from '../parts/announce'
import { byText } from '../words/format'
import { InlineEditor } from './inline-editor'

export function TitleEditor({ document, title }: { document: Document; title: string | null }) {
  const client = useQueryClient()
  const [editing, setEditing] = useState(false)
  const save = (text: string | null) => editDocument(client, document.id, { title: text || null })
  if (editing) {
    return (
      <InlineEditor
        label="Title"
        value={document.title ?? ''}
        maxLength={500}
        onSave={save}
        onClose={() => setEditing(false)}
      >
        {document.title_edited_at && (
          <button type="button" className="button" onClick={() => save(null).then(() => setEditing(false)).catch((error: unknown) => announce(errorText(error)))}>
            Use the extracted title
          </button>
        )}
      </InlineEditor>
    )
  }
  return (
    <p className="document-own-title">
      {title && <bdi>{title}</bdi>}
      {document.title_edited_at && (
        <span className="quiet small">
          {byText('edited', document.title_edited_by, document.title_edited_at)}
        </span>
      )}
      <button type="button" className="button plain small-button" onClick={() => setEditing(true)}>
        {title ? 'Edit title' : 'Add title'}
      </button>
    </p>
  )
}
