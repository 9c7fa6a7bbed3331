// URLs of the API, relative to the URL that this page was loaded from.

/** The URL of a path such as `/documents/{id}/original`, with its parameters quoted. */
export function apiUrl(path: string, parameters: Record<string, string> = {}): string {
  return `.${path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))}`
}
