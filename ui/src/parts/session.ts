// Values that belong to this tab and survive a reload. Without the browser's storage they live as long as the page.
const memory = new Map<string, string>()

export function readSession(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return memory.get(key) ?? null
  }
}

export function writeSession(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    memory.set(key, value)
  }
}
