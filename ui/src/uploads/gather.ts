// The files of a drop, a paste or a choice; folders are walked to the bottom.

/** Leavings of file managers that nobody means to upload. */
const LITTER = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.localized'])

export function isLitter(name: string): boolean {
  return LITTER.has(name) || name.startsWith('._')
}

/** Entries must be taken out of the event before anything is awaited: afterwards the browser has cleared it. */
export function takeEntries(transfer: DataTransfer): (FileSystemEntry | File)[] {
  const taken: (FileSystemEntry | File)[] = []
  for (const item of Array.from(transfer.items)) {
    if (item.kind !== 'file') continue
    const found = item.webkitGetAsEntry?.() ?? item.getAsFile()
    if (found) taken.push(found)
  }
  return taken
}

export async function filesOf(entries: readonly (FileSystemEntry | File)[]): Promise<File[]> {
  const files: File[] = []
  for (const entry of entries) {
    if (entry instanceof File) files.push(entry)
    else if (entry.isFile) files.push(await asFile(entry as FileSystemFileEntry))
    else files.push(...(await filesOf(await children(entry as FileSystemDirectoryEntry))))
  }
  return files.filter((file) => !isLitter(file.name))
}

function asFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** A directory tells its children a hundred at a time, and an empty answer means that was all. */
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!some.length) return all
    all.push(...some)
  }
}
