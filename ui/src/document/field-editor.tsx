// Edits the value of one field.
import { useQueryClient } from '@tanstack/react-query'
import { editField } from '../api/edits'
import type { components } from '../api/schema'
import { label } from '../words/format'
import { InlineEditor } from './inline-editor'

interface Props {
  id: string
  field: components['schemas']['FieldView']
  onClose: () => void
}

export function FieldEditor({ id, field, onClose }: Props) {
  const client = useQueryClient()
  const save = (value: string | null) => editField(client, id, field.name, field.ordinal ?? 0, value)
  return (
    <InlineEditor
      label={`Value of ${label(field.name)}`}
      value={field.value}
      maxLength={10_000}
      onSave={(text) => save(text || null)}
      onClose={onClose}
    >
      {field.edited_at && (
        <button type="button" className="button" onClick={() => void save(null).then(onClose)}>
          {field.extracted_value === null ? 'Remove' : 'Use the extracted value'}
        </button>
      )}
    </InlineEditor>
  )
}
