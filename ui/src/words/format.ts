// Formats numbers, sizes, durations, times and file types.

const whole = new Intl.NumberFormat('en')

/** `1 page`, `1,200 pages`. */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${whole.format(amount)} ${amount === 1 ? singular : plural}`
}

export function number(amount: number): string {
  return whole.format(amount)
}

export function bytes(size: number): string {
  if (size < 1_000) return count(size, 'byte')
  const units = ['kB', 'MB', 'GB', 'TB']
  let amount = size / 1_000
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000
    unit += 1
  }
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`
}

/** `0.4 s`, `14 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function seconds(amount: number): string {
  if (amount < 0.05) return '0 s'
  if (amount < 9.95) return `${amount.toFixed(1)} s`
  const total = Math.round(amount)
  if (total < 60) return `${total} s`
  if (total < 3_600) return pair(Math.floor(total / 60), 'min', total % 60, 's')
  if (total < 86_400) return pair(Math.floor(total / 3_600), 'h', Math.floor((total % 3_600) / 60), 'min')
  return pair(Math.floor(total / 86_400), 'd', Math.floor((total % 86_400) / 3_600), 'h')
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

export function ago(at: string, now: number): string {
  const elapsed = (now - Date.parse(at)) / 1_000
  if (elapsed < 10) return 'just now'
  if (elapsed < 60) return `${Math.floor(elapsed)} s ago`
  if (elapsed < 3_600) return `${Math.floor(elapsed / 60)} min ago`
  if (elapsed < 86_400) return `${Math.floor(elapsed / 3_600)} h ago`
  if (elapsed < 7 * 86_400) return `${Math.floor(elapsed / 86_400)} d ago`
  return new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' }).format(Date.parse(at))
}

/** `edited by mara, Mar 1, 2026, 12:00:00`. A server without keys knows nobody by name. */
export function byText(done: string, name: string | null | undefined, at: string | null | undefined): string {
  const who = name && name !== 'local' ? ` by ${name}` : ''
  return `${done}${who}${at ? `${who ? ',' : ''} ${dateTime(at)}` : ''}`
}

export function timeOfDay(at: string): string {
  return new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(
    Date.parse(at),
  )
}

export function dateTime(at: string): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hour12: false }).format(Date.parse(at))
}

/** An amount in dollars; fractions of a cent are shown because embedding a page costs that little. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0'
  if (amount < 0.0001) return 'less than $0.0001'
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`
}

/** A position in a recording: `1:05`, `1:02:07`. */
export function timecode(position: number): string {
  const total = Math.max(0, Math.floor(position))
  const tail = `${String(Math.floor((total % 3_600) / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`
  return total < 3_600 ? tail.replace(/^0(?=\d)/, '') : `${Math.floor(total / 3_600)}:${tail}`
}

/** A field name as a label: `invoice_date` becomes `Invoice date`. */
export function label(name: string): string {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/\b(url|iban|bic|vat|isbn|doi|id|ip)\b/gi, (short) => short.toUpperCase())
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const FILE_TYPES: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/epub+zip': 'EPUB',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint',
  'application/msword': 'Word',
  'message/rfc822': 'Mail',
  'application/vnd.ms-outlook': 'Mail',
  'application/rtf': 'RTF',
  'text/html': 'Web page',
  'application/xhtml+xml': 'Web page',
  'text/markdown': 'Markdown',
  'text/plain': 'Text',
  'text/csv': 'CSV',
  'text/tab-separated-values': 'TSV',
  'application/json': 'JSON',
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** `de` → `German`; a code that is none stays. */
export function languageName(code: string): string {
  try {
    return languageNames.of(code) ?? code
  } catch {
    return code
  }
}

/**
 * The file types of a filter: media types with the same name are one choice, whose value lists them with commas.
 * The choice of the chosen types has their value and number, although further types may have come since.
 */
export function typeChoices(counts: Record<string, number>, chosen: string | null): { value: string; name: string; amount: number }[] {
  const groups = new Map<string, { types: string[]; amount: number }>()
  for (const type of [...Object.keys(counts), ...(chosen?.split(',') ?? [])]) {
    const name = fileKind(type, '')
    const group = groups.get(name) ?? { types: [], amount: 0 }
    if (!group.types.includes(type)) groups.set(name, { types: [...group.types, type], amount: group.amount + (counts[type] ?? 0) })
  }
  const chosenName = chosen === null ? null : fileKind(chosen.split(',')[0]!, '')
  return [...groups].map(([name, { types, amount }]) => ({
    value: name === chosenName ? chosen! : types.sort().join(','),
    name: name === 'File' ? 'Other' : name,
    amount: name === chosenName ? chosen!.split(',').reduce((sum, type) => sum + (counts[type] ?? 0), 0) : amount,
  }))
}

/** The type of a file in one or two words. */
export function fileKind(mediaType: string, name: string): string {
  const fileType = FILE_TYPES[mediaType]
  if (fileType) return fileType
  if (mediaType.startsWith('audio/')) return 'Audio'
  if (mediaType.startsWith('video/')) return 'Video'
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]
  if (mediaType.startsWith('image/')) return extension ? `${extension.toUpperCase()} image` : 'Image'
  return extension ? extension.toUpperCase() : 'File'
}
