// What is being processed now, above the list: visible however the list is sorted or filtered.
import { type Changes, useChanges } from '../api/changes'
import { documentRoute, hrefTo } from '../route'
import { count, number } from '../words/format'
import { stageLabel } from '../words/stages'

export function Working() {
  const changes = useChanges()
  if (changes === null || changes.running + changes.waiting === 0) return null
  return (
    <section className="working" aria-label="Being processed">
      <span className="working-count">{workingText(changes)}</span>
      <ul>
        {changes.worked.map((document) => (
          <li key={document.document_id}>
            <a href={hrefTo(documentRoute(document.document_id))} dir="auto">
              {document.name}
            </a>
            <span className="quiet">{stageLabel(document.stage)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `3 running, 12 waiting`. */
export function workingText({ running, waiting }: Pick<Changes, 'running' | 'waiting'>): string {
  if (!running) return `${count(waiting, 'document')} waiting`
  return `${count(running, 'document')} running${waiting ? `, ${number(waiting)} waiting` : ''}`
}
