// The queue by stage, in the order in which documents pass through it.
import type { View } from '../api/client'

export interface StageQueue {
  stage: string
  waiting: number
  working: number
  failed: number
  /** When the oldest waiting job became due. */
  oldest: string | null
}

const ORDER = [
  'extract',
  'save_markdown',
  'extract_audio',
  'transcribe_start',
  'transcribe_poll',
  'analyze',
  'chunk',
  'embed',
  'publish',
  'connect',
]

export function byStage(rows: readonly View<'QueueView'>[]): StageQueue[] {
  const found = new Map<string, StageQueue>()
  for (const row of rows) {
    const stage = found.get(row.stage) ?? { stage: row.stage, waiting: 0, working: 0, failed: 0, oldest: null }
    if (row.status === 'PENDING') Object.assign(stage, { waiting: row.jobs, oldest: row.oldest })
    if (row.status === 'PROCESSING') stage.working = row.jobs
    if (row.status === 'FAILED') stage.failed = row.jobs
    found.set(row.stage, stage)
  }
  const rank = (name: string) => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1)
  return [...found.values()].sort((one, other) => rank(one.stage) - rank(other.stage))
}
