// Bar charts of the runs of the last hour by minute: received, completed, failed.
import type { View } from '../api/client'
import { number, timeOfDay } from '../words/format'

type Bar = View<'ThroughputView'>
type Series = 'queued' | 'completed' | 'failed'

const WIDTH = 360
const HEIGHT = 64
const MINUTES = 60
const PLOTS: [Series, string][] = [
  ['queued', 'received'],
  ['completed', 'completed'],
  ['failed', 'failed or cancelled'],
]

/** One bar for each minute of the last hour; the server leaves out minutes without runs. */
export function lastHour(bars: readonly Bar[], now: number): Bar[] {
  const minute = (at: number) => Math.floor(at / 60_000)
  const byMinute = new Map(bars.map((bar) => [minute(Date.parse(bar.at)), bar]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = minute(now) - MINUTES + 1 + index
    return byMinute.get(at) ?? { at: new Date(at * 60_000).toISOString(), queued: 0, completed: 0, failed: 0 }
  })
}

export function Throughput({ bars, now }: { bars: readonly Bar[]; now: number }) {
  const hour = lastHour(bars, now)
  // One scale for all three charts, so that they can be compared.
  const max = Math.max(1, ...hour.flatMap((bar) => [bar.queued, bar.completed, bar.failed]))
  return (
    <section aria-labelledby="throughput">
      <h2 id="throughput">Runs in the last hour</h2>
      <div className="plots">
        {PLOTS.map(([series, title]) => (
          <Plot key={series} series={series} title={title} hour={hour} max={max} />
        ))}
      </div>
    </section>
  )
}

function Plot({ series, title, hour, max }: { series: Series; title: string; hour: readonly Bar[]; max: number }) {
  const step = WIDTH / MINUTES
  const sum = hour.reduce((total, bar) => total + bar[series], 0)
  return (
    <figure className="plot">
      <figcaption>
        <strong>{number(sum)}</strong> {title}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="plot-base" />
        {hour.map((bar, index) => {
          const height = (bar[series] / max) * (HEIGHT - 4)
          return (
            <rect key={bar.at} className={`plot-${series}`} x={index * step + 0.75} width={step - 1.5} y={HEIGHT - height} height={height}>
              <title>{`${timeOfDay(bar.at)}: ${bar[series]}`}</title>
            </rect>
          )
        })}
      </svg>
      <div className="plot-ends">
        <span>1 h ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}
