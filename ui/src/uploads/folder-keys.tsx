// The choice that the files of a folder are versions: the path of each file is its key, with the name of the folder.
import { createStore, useStore } from '../parts/store'

const STORAGE_KEY = 'towpath-folder-keys'

const stored = () => typeof localStorage !== 'undefined' && localStorage.getItem(STORAGE_KEY) === 'on'

export const folderKeys = createStore(stored())

/** The key of a file with this path; null if files of folders are no versions, or if it is in no folder. */
export function folderKey(path: string | undefined): string | null {
  const key = (path ?? '').replace(/^\//, '')
  return folderKeys.get() && key.includes('/') ? key : null
}

export function FolderKeysOption() {
  const checked = useStore(folderKeys)
  return (
    <label
      className="folder-button folder-keys small"
      title="A changed file of a folder is stored as the next version of the document with the same path. Without this it is a new document."
    >
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => {
          folderKeys.set(event.currentTarget.checked)
          localStorage.setItem(STORAGE_KEY, event.currentTarget.checked ? 'on' : 'off')
        }}
      />
      as versions
    </label>
  )
}
