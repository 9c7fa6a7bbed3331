// Copies text. The browser's own interface exists only on secure origins; a server in the local network is none.
import { announce } from './announce'

export async function copyText(text: string, done: string): Promise<void> {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    announce(done)
  } catch {
    announce('The browser did not allow copying.')
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
