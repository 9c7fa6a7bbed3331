// The button that uploads the next version of a document.
import { useRef } from 'react'
import { Icon } from '../parts/icon'
import type { Document } from '../library/list'
import { useUploadQueue } from '../uploads/context'

export function ReplaceFile({ document }: { document: Document }) {
  const queue = useUploadQueue()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className="button icon-only"
        aria-label="Replace file…"
        title="Replace file: upload the next version of this document"
        onClick={() => input.current?.click()}
      >
        <Icon name="replace" />
      </button>
      <input
        ref={input}
        type="file"
        hidden
        data-picks="version"
        aria-label="Next version of the file"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file) queue.add([{ file, collection: null, replaces: document.id }])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
