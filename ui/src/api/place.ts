// Addresses of the API, relative to where this page was loaded from.

export function place(path: string, query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const asked = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))
  return `.${path}${pairs.length ? `?${asked}` : ''}`
}

/** `/documents/{document_id}` with its names filled in, each safely quoted. */
export function fill(path: string, names: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])))
}
