// The name of a speaker, which a person can change. It is stored beside the transcript.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { byText } from '../words/format'
import { InlineEditor } from './inline-editor'
import { nameSpeaker, type SpeakerName } from './transcript'

const MAX_LENGTH = 100

export function SpeakerEditor({ id, speaker }: { id: string; speaker: SpeakerName }) {
  const client = useQueryClient()
  const [editing, setEditing] = useState(false)
  const { name, edited_by, edited_at } = speaker
  if (editing) {
    return (
      <InlineEditor
        label={`Name of ${speaker.speaker}`}
        value={name ?? ''}
        maxLength={MAX_LENGTH}
        onSave={(text) => nameSpeaker(client, id, speaker.speaker, text || null)}
        onClose={() => setEditing(false)}
      />
    )
  }
  const edited = edited_at ? `${byText('Named', edited_by, edited_at)}. ` : ''
  return (
    <button
      type="button"
      className="speaker speaker-name"
      title={`${edited}Click to change the name`}
      aria-label={`${name ?? speaker.speaker}: change the name`}
      onClick={() => setEditing(true)}
    >
      {name ?? speaker.speaker}
    </button>
  )
}
