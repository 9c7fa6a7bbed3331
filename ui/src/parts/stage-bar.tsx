// The stages of a run as a row of progress bars.
import type { View } from '../api/client'
import { seconds } from '../words/format'
import { progressText } from '../words/stages'

type Stage = View<'StageView'>

/** The filled share of a stage's bar, from 0 to 1. */
export function segmentFill(stage: Stage): number {
  switch (stage.status) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
      return 1
    case 'PROCESSING':
      // At least 8 %, so that a stage that has just started is visible.
      return stage.progress?.total ? Math.max(0.08, Math.min(1, stage.progress.done / stage.progress.total)) : 0.5
    case 'PENDING':
      // The whole bar is hatched: a waiting stage has made no progress.
      return 1
    default:
      return 0
  }
}

export function segmentClass(stage: Stage): string {
  const retried = stage.status === 'PENDING' && stage.attempts + stage.crashes > 0
  return `segment ${stage.status.toLowerCase()}${stage.reused ? ' reused' : ''}${retried ? ' retried' : ''}`
}

/** `Embed: running for 12 s, chunk 76 of 406`. */
export function stageText(stage: Stage): string {
  const name = stage.label
  if (stage.reused) return `${name}: reused`
  const spent = stage.seconds === null ? '' : ` ${seconds(stage.seconds)}`
  switch (stage.status) {
    case 'COMPLETED':
      return `${name}: done${spent ? ` in${spent}` : ''}`
    case 'PROCESSING': {
      const progress = progressText(stage.progress)
      return `${name}: running${spent ? ` for${spent}` : ''}${progress ? `, ${progress}` : ''}`
    }
    case 'PENDING':
      return `${name}: waiting`
    case 'FAILED':
      return `${name}: failed`
    case 'CANCELLED':
      return `${name}: cancelled`
    case 'SKIPPED':
      return `${name}: skipped`
    default:
      return `${name}: not started`
  }
}

/** The duration of a stage; empty below 0.05 s. */
function duration(stage: Stage): string {
  if (stage.reused) return 'reused'
  return stage.seconds !== null && stage.seconds >= 0.05 ? seconds(stage.seconds) : ''
}

/** With `named`, the label and the duration of each stage stand below its bar. */
export function StageBar({ stages, named = false }: { stages: readonly Stage[]; named?: boolean }) {
  return (
    <div className="stage-bar" role="img" aria-label={stages.map(stageText).join('; ')}>
      {stages.map((stage) => (
        <span key={stage.name} className="stage-bar-item" title={stageText(stage)}>
          <span className={segmentClass(stage)}>
            <i style={{ transform: `scaleX(${segmentFill(stage)})` }} />
          </span>
          {named && (
            <span className="stage-bar-label">
              {stage.label} <b>{duration(stage)}</b>
            </span>
          )}
        </span>
      ))}
    </div>
  )
}
