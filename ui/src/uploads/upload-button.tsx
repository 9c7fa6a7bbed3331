// The buttons that open the file dialog: for files, and for a folder whose sub-folders become collections.
import { useRef } from 'react'
import { Icon } from '../parts/icon'
import { useUploadQueue } from './context'
import { chosenItems } from './dropped-files'
import { FolderKeysOption } from './folder-keys'

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

/** Browsers of phones have no folder dialog. */
export function UploadFolderButton() {
  const queue = useUploadQueue()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" className="button folder-button" onClick={() => input.current?.click()}>
        Upload folder
      </button>
      <input
        ref={input}
        type="file"
        webkitdirectory=""
        data-picks="folder"
        hidden
        aria-label="Folder to upload"
        onChange={(event) => {
          queue.add(chosenItems(Array.from(event.currentTarget.files ?? [])))
          event.currentTarget.value = ''
        }}
      />
      <FolderKeysOption />
    </>
  )
}

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** The dialog chooses a folder. All current browsers on computers have it. */
    webkitdirectory?: string
  }
}
