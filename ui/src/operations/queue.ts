// The queue grouped by stage, in pipeline order.
import type { View } from '../api/client'
import { stageRank } from '../words/stages'

export interface StageQueue {
  stage: string
  waiting: number
  running: number
  /** When the oldest waiting job became due. */
  oldest: string | null
}

export function byStage(rows: readonly View<'QueueView'>[]): StageQueue[] {
  const stages = new Map<string, StageQueue>()
  // Failed jobs are listed with their documents, not here.
  for (const row of rows.filter(({ status }) => status !== 'FAILED')) {
    const stage = stages.get(row.stage) ?? { stage: row.stage, waiting: 0, running: 0, oldest: null }
    if (row.status === 'PENDING') Object.assign(stage, { waiting: row.jobs, oldest: row.oldest })
    if (row.status === 'PROCESSING') stage.running = row.jobs
    stages.set(row.stage, stage)
  }
  // Two unknown stages have the same rank: Infinity - Infinity is NaN, so compare instead of subtracting.
  return [...stages.values()].sort((a, b) => compare(stageRank(a.stage), stageRank(b.stage)))
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
