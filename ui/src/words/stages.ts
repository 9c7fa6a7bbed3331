// The label of each stage and the text of its progress.
import { bytes, seconds } from './format'
import labels from './stage-labels.json'

export interface Progress {
  done: number
  total: number
  unit: string
}

const LABELS: Record<string, string> = labels

/** The label of a stage code. The table is generated from the server's STAGE_LABELS; the code of another stage becomes words. */
export function stageLabel(stage: string): string {
  return LABELS[stage] ?? inWords(stage)
}

/** `acme_summary` → `Acme summary`, as the server makes the label of a stage that declares none. */
function inWords(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `Read, Save text and Split`. */
export function stageList(stages: readonly string[]): string {
  return list(stages.map(stageLabel))
}

/** The stages in pipeline order; unknown ones last. */
export function stageRank(stage: string): number {
  const index = Object.keys(LABELS).indexOf(stage)
  return index === -1 ? Infinity : index
}

/** `chunk 76 of 406`, `1 min of 5 min`, `2.0 MB of 8.0 MB`; null while the total is unknown. */
export function progressText(progress: Progress | null): string | null {
  if (progress === null || progress.total <= 0) return null
  const { total, unit } = progress
  const done = Math.min(progress.done, total)
  if (unit === 'second') return `${seconds(done)} of ${seconds(total)}`
  if (unit === 'byte') return `${bytes(done)} of ${bytes(total)}`
  return `${unit} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
}

export function list(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
}
