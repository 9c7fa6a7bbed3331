// A small plot of what ended when: bars of completed runs, with the failed ones on top.
import type { View } from '../api/client'
import { clock, count } from '../words/format'

type Bar = View<'BarView'>

const WIDTH = 720
const HEIGHT = 120
const MINUTES = 60

/** The last hour, minute by minute, with the quiet minutes that the server leaves out. */
export function lastHour(bars: readonly Bar[], now: number): Bar[] {
  const minute = (at: number) => Math.floor(at / 60_000)
  const known = new Map(bars.map((bar) => [minute(Date.parse(bar.at)), bar]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = minute(now) - MINUTES + 1 + index
    return known.get(at) ?? { at: new Date(at * 60_000).toISOString(), completed: 0, failed: 0 }
  })
}

export function Throughput({ bars, now }: { bars: readonly Bar[]; now: number }) {
  const hour = lastHour(bars, now)
  const most = Math.max(1, ...hour.map((bar) => bar.completed + bar.failed))
  const completed = hour.reduce((sum, bar) => sum + bar.completed, 0)
  const failed = hour.reduce((sum, bar) => sum + bar.failed, 0)
  const step = WIDTH / MINUTES
  return (
    <figure className="plot">
      <figcaption>
        {count(completed, 'run')} completed and {failed} failed in the last hour
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="plot-base" />
        {hour.map((bar, index) => {
          const good = (bar.completed / most) * (HEIGHT - 8)
          const bad = (bar.failed / most) * (HEIGHT - 8)
          return (
            <g key={bar.at}>
              <title>
                {clock(bar.at)}: {bar.completed} completed, {bar.failed} failed
              </title>
              <rect className="plot-good" x={index * step + 1} width={step - 2} y={HEIGHT - good} height={good} rx="1" />
              <rect className="plot-bad" x={index * step + 1} width={step - 2} y={HEIGHT - good - bad} height={bad} rx="1" />
            </g>
          )
        })}
      </svg>
      <div className="plot-ends">
        <span>an hour ago</span>
        <span>most in a minute: {most}</span>
        <span>now</span>
      </div>
    </figure>
  )
}
