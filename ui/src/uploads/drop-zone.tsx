// Accepts files that are dropped or pasted anywhere on the page.
import { useEffect, useState } from 'react'
import { Icon } from '../parts/icon'
import { useUploadQueue } from './context'
import { entriesOf, readItems } from './dropped-files'

export function DropZone() {
  const queue = useUploadQueue()
  const [dragging, setDragging] = useState(false)
  useEffect(() => {
    // Every element under the pointer fires enter and leave; the pointer is outside when the counts are equal.
    let depth = 0
    const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth += 1
      setDragging(true)
    }
    const leave = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setDragging(false)
    }
    const hover = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setDragging(false)
      if (!event.dataTransfer || !carriesFiles(event)) return
      event.preventDefault()
      void readItems(entriesOf(event.dataTransfer)).then((items) => queue.add(items))
    }
    const paste = (event: ClipboardEvent) => {
      const files = Array.from(event.clipboardData?.files ?? [])
      if (!files.length) return
      event.preventDefault()
      queue.add(files)
    }
    const listeners = { dragenter: enter, dragleave: leave, dragover: hover, drop, paste }
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as EventListener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener as EventListener)
    }
  }, [queue])
  if (!dragging) return null
  return (
    <div className="drop-overlay">
      <div>
        <Icon name="upload" />
        Drop files or folders to upload them
      </div>
    </div>
  )
}
