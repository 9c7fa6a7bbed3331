// The files of a drop, with those of dropped folders and their subfolders.

/** Files that file managers create; they are not uploaded. */
const SYSTEM_FILES = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.localized'])

export function isSystemFile(name: string): boolean {
  return SYSTEM_FILES.has(name) || name.startsWith('._')
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

export async function readFiles(entries: readonly (FileSystemEntry | File)[]): Promise<File[]> {
  const files: File[] = []
  for (const entry of entries) {
    if (entry instanceof File) files.push(entry)
    else if (entry.isFile) files.push(await asFile(entry as FileSystemFileEntry))
    else files.push(...(await readFiles(await children(entry as FileSystemDirectoryEntry))))
  }
  return files.filter((file) => !isSystemFile(file.name))
}

function asFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** The entries of a folder. The browser returns at most 100 at a time and an empty list at the end. */
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!batch.length) return entries
    entries.push(...batch)
  }
}
