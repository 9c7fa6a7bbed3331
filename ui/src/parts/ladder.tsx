// The stages of a run as a flight of locks, each as full as its stage is done.
import type { View } from '../api/client'
import { seconds } from '../words/format'
import { counting, shortName } from '../words/stages'

type Stage = View<'StageView'>

export function filled(stage: Stage): number {
  switch (stage.status) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
      return 1
    case 'PROCESSING':
      // A stage that has just begun still shows that it has.
      return stage.done !== null && stage.total ? Math.max(0.08, Math.min(1, stage.done / stage.total)) : 0.5
    case 'PENDING':
      return 0.3
    default:
      return 0
  }
}

export function lockClass(stage: Stage): string {
  const troubled = stage.status === 'PENDING' && stage.attempts + stage.crashes > 0
  return `lock ${stage.status.toLowerCase()}${stage.reused ? ' reused' : ''}${troubled ? ' troubled' : ''}`
}

export function stageSentence(stage: Stage): string {
  const name = shortName(stage.name)
  if (stage.reused) return `${name}: reused`
  const spent = stage.seconds === null ? '' : ` ${seconds(stage.seconds)}`
  switch (stage.status) {
    case 'COMPLETED':
      return `${name}: done${spent ? ` in${spent}` : ''}`
    case 'PROCESSING': {
      const inside = counting(stage.name, stage.done, stage.total)
      return `${name}: at work${spent ? ` for${spent}` : ''}${inside ? `, ${inside}` : ''}`
    }
    case 'PENDING':
      return `${name}: waiting`
    case 'FAILED':
      return `${name}: failed`
    case 'CANCELLED':
      return `${name}: stopped`
    case 'SKIPPED':
      return `${name}: not reached`
    default:
      return `${name}: to come`
  }
}

/** What took no time needs no words. */
function spent(stage: Stage): string {
  if (stage.reused) return 'reused'
  return stage.seconds !== null && stage.seconds >= 0.05 ? seconds(stage.seconds) : ''
}

/** Under each lock its name and seconds, where there is room for them. */
export function Ladder({ stages, named = false }: { stages: readonly Stage[]; named?: boolean }) {
  return (
    <div className="ladder" role="img" aria-label={stages.map(stageSentence).join('; ')}>
      {stages.map((stage) => (
        <span key={stage.name} className="rung" title={stageSentence(stage)}>
          <span className={lockClass(stage)}>
            <i style={{ transform: `scaleX(${filled(stage)})` }} />
          </span>
          {named && (
            <span className="rung-name">
              {shortName(stage.name)} <b>{spent(stage)}</b>
            </span>
          )}
        </span>
      ))}
    </div>
  )
}
