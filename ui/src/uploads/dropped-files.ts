// The files of a drop, with those of dropped folders and their subfolders.

import { folderKey } from './folder-keys'
import type { UploadItem } from './queue'

/** The paths of dropped files, which begin with the name of the dropped folder. */
const droppedPaths = new WeakMap<File, string>()

/** Files that file managers create; they are not uploaded. */
const SYSTEM_FILES = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.localized'])

export function isSystemFile(name: string): boolean {
  return SYSTEM_FILES.has(name) || name.startsWith('._')
}

/** The database of a library of Towpath: its folder is not uploaded. */
const LIBRARY_FILE = 'towpath.db'

function isHidden(name: string): boolean {
  return name.startsWith('.')
}

/** The entries of a drop event. Call it before the first await: the browser clears the event afterwards. */
export function entriesOf(transfer: DataTransfer): (FileSystemEntry | File)[] {
  const entries: (FileSystemEntry | File)[] = []
  for (const item of Array.from(transfer.items)) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry?.() ?? item.getAsFile()
    if (entry) entries.push(entry)
  }
  return entries
}

/**
 * The files of the entries, with their collections: the sub-folder of a dropped folder, or the folder itself if several
 * folders were dropped.
 */
export async function readItems(entries: readonly (FileSystemEntry | File)[]): Promise<UploadItem[]> {
  const folders = entries.filter((entry) => !(entry instanceof File) && entry.isDirectory) as FileSystemDirectoryEntry[]
  const others = entries.filter((entry) => entry instanceof File || !entry.isDirectory)
  const inCollection = (files: readonly File[], collection: string | null) =>
    files.map((file) => ({ file, collection, key: folderKey(droppedPaths.get(file)) }))
  const items = inCollection(await readFiles(others), null)
  for (const folder of folders) {
    if (folders.length > 1) items.push(...inCollection(await readFiles([folder]), folder.name))
    else {
      for (const entry of await children(folder)) {
        items.push(...inCollection(await readFiles([entry]), entry.isDirectory ? entry.name : null))
      }
    }
  }
  return items
}

/** The files of a chosen folder, with its sub-folders as collections: `inbox/letters/a.pdf` is in `letters`. */
export function chosenItems(files: readonly File[]): UploadItem[] {
  const libraries = files
    .map((file) => file.webkitRelativePath)
    .filter((path) => path.endsWith(`/${LIBRARY_FILE}`))
    .map((path) => path.slice(0, -LIBRARY_FILE.length))
  return files
    .filter(({ name, webkitRelativePath: path }) => {
      const inner = path.split('/').slice(1)
      return !isSystemFile(name) && !inner.some(isHidden) && !libraries.some((folder) => path.startsWith(folder))
    })
    .map((file) => {
      const parts = file.webkitRelativePath.split('/')
      return { file, collection: parts.length > 2 ? (parts[1] ?? null) : null, key: folderKey(file.webkitRelativePath) }
    })
}

export async function readFiles(entries: readonly (FileSystemEntry | File)[]): Promise<File[]> {
  const files: File[] = []
  for (const entry of entries) {
    if (entry instanceof File) files.push(entry)
    else if (entry.isFile) {
      const file = await asFile(entry as FileSystemFileEntry)
      droppedPaths.set(file, entry.fullPath)
      files.push(file)
    }
    else files.push(...(await readFiles(await children(entry as FileSystemDirectoryEntry))))
  }
  return files.filter((file) => !isSystemFile(file.name))
}

function asFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** The entries of a folder without hidden ones; none if it is the folder of a library. */
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const entries = await allChildren(folder)
  return entries.some(({ name }) => name === LIBRARY_FILE) ? [] : entries.filter(({ name }) => !isHidden(name))
}

/** The browser returns at most 100 entries at a time and an empty list at the end. */
async function allChildren(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!batch.length) return entries
    entries.push(...batch)
  }
}
