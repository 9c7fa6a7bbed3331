// The difference of the texts of two versions, line by line.
import { useQuery } from '@tanstack/react-query'
import { diffQuery } from '../api/versions'
import { ErrorNotice, Loading, Notice } from '../parts/notices'
import { count } from '../words/format'

/** Lines that are shown; a browser is slow with more. */
const MAX_LINES = 3_000

const KINDS: Record<string, [string, string]> = {
  '+': ['added', 'added: '],
  '-': ['removed', 'removed: '],
  '@': ['place', ''],
}

export function Diff({ id, from, to }: { id: string; from: number; to: number }) {
  const { data, error } = useQuery(diffQuery(id, from, to))
  if (error) return <ErrorNotice error={error} />
  if (!data) return <Loading what="Comparing the versions" />
  if (!data.diff) return <p className="quiet">The texts are the same.</p>
  const lines = data.diff.split('\n')
  return (
    <>
      <p className="quiet small" role="status">
        {count(data.added, 'line')} added, {count(data.removed, 'line')} removed
      </p>
      <div className="diff" tabIndex={0} role="region" aria-label={`Differences between version ${from} and version ${to}`}>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <DiffLine key={index} line={line} />
        ))}
      </div>
      {(data.truncated || lines.length > MAX_LINES) && (
        <Notice tone="quiet">
          <p>The texts differ in more lines than are shown. Download both versions to compare them.</p>
        </Notice>
      )}
    </>
  )
}

function DiffLine({ line }: { line: string }) {
  const [kind, spoken] = KINDS[line[0] ?? ''] ?? ['same', '']
  const text = kind === 'place' ? placeText(line) : line.slice(1)
  return (
    <p className={`diff-line ${kind}`} dir="auto">
      {spoken && <span className="hidden">{spoken}</span>}
      {text || '\u00a0'}
    </p>
  )
}

/** The header of a hunk as words: `@@ -3,7 +3,8 @@` is `line 3`. */
export function placeText(header: string): string {
  const match = /\+(\d+)/.exec(header)
  return match ? `line ${match[1]}` : ''
}
