// The button that opens the file dialog.
import { useRef } from 'react'
import { Icon } from '../parts/icon'
import { useUploadQueue } from './context'

export function UploadButton({ className = 'button primary', label = 'Upload' }: { className?: string; label?: string }) {
  const queue = useUploadQueue()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" className={className} onClick={() => input.current?.click()}>
        <Icon name="upload" />
        {label}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          queue.add(Array.from(event.currentTarget.files ?? []))
          // Otherwise choosing the same file again fires no event.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
