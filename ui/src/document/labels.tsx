// The collection and the tags of a document.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { editDocument } from '../api/edits'
import { errorText } from '../api/problem'
import { facetsQuery, NO_FILTERS } from '../library/filter'
import type { Document } from '../library/list'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { hrefTo } from '../route'
import { InlineEditor } from './inline-editor'

export function DocumentLabels({ document }: { document: Document }) {
  const client = useQueryClient()
  const [editing, setEditing] = useState<'collection' | 'tag' | null>(null)
  const { data: facets } = useQuery({ ...facetsQuery(NO_FILTERS), enabled: editing !== null })
  const tags = document.tags ?? []
  const close = () => setEditing(null)
  return (
    <div className="document-labels">
      <span className="label-group">
        <Icon name="library" />
        {editing === 'collection' ? (
          <InlineEditor
            label="Collection"
            value={document.collection ?? ''}
            maxLength={200}
            suggestions={Object.keys(facets?.collections ?? {}).filter(Boolean)}
            onSave={(text) => editDocument(client, document.id, { collection: text || null })}
            onClose={close}
          />
        ) : (
          <>
            {document.collection && (
              <a href={hrefTo({ view: 'library', ...NO_FILTERS, collection: document.collection })}>{document.collection}</a>
            )}
            <button type="button" className="button plain small-button" onClick={() => setEditing('collection')}>
              {document.collection ? 'Move' : 'Add to a collection'}
            </button>
          </>
        )}
      </span>
      <span className="label-group">
        <Icon name="tag" />
        {tags.map((tag) => (
          <span key={tag} className="chip">
            <a href={hrefTo({ view: 'library', ...NO_FILTERS, tags: [tag] })}>{tag}</a>
            <button
              type="button"
              className="chip-remove"
              aria-label={`Remove the tag ${tag}`}
              title={`Remove the tag ${tag}`}
              onClick={() =>
                void editDocument(client, document.id, { remove_tags: [tag] }).catch((error: unknown) => announce(errorText(error)))
              }
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
        {editing === 'tag' ? (
          <InlineEditor
            label="New tags, separated by commas"
            value=""
            maxLength={200}
            suggestions={Object.keys(facets?.tags ?? {}).filter((tag) => !tags.includes(tag))}
            onSave={(text) => editDocument(client, document.id, { add_tags: text.split(',') })}
            onClose={close}
          />
        ) : (
          <button type="button" className="button plain small-button" onClick={() => setEditing('tag')}>
            Add tag
          </button>
        )}
      </span>
    </div>
  )
}
