// Runs and costs of the last 14 days, and what is slow: how long stages wait and work.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap, type View } from '../api/client'
import { dollars, number, seconds } from '../words/format'
import { stageLabel, stageRank } from '../words/stages'
import { Table } from './table'

type Day = View<'DayView'>

const WIDTH = 360
const HEIGHT = 64

const historyQuery = () =>
  queryOptions({
    queryKey: ['operations', 'history'],
    queryFn: ({ signal }) => unwrap(api.GET('/operations/history', { signal })),
    refetchInterval: 60_000,
    staleTime: 30_000,
  })

export function History() {
  const { data } = useQuery(historyQuery())
  if (!data) return null
  const stages = [...data.stages].sort((one, other) => stageRank(one.stage) - stageRank(other.stage) || one.stage.localeCompare(other.stage))
  return (
    <>
      <section aria-labelledby="days">
        <h2 id="days">Last 14 days</h2>
        <div className="plots">
          <Plot days={data.days} value={(day) => day.completed} format={number} title="completed" series="completed" />
          <Plot days={data.days} value={(day) => day.failed} format={number} title="failed or cancelled" series="failed" />
          <Plot days={data.days} value={(day) => day.cost} format={dollars} title="paid to providers" series="queued" />
        </div>
      </section>
      <section aria-labelledby="stage-times">
        <h2 id="stage-times">Stage times</h2>
        {stages.length ? (
          <Table head={['Stage', 'Jobs', 'Run time: median', '95th percentile', 'Longest', 'Waiting: median', '95th percentile']}>
            {stages.map((stage) => (
              <tr key={stage.stage}>
                <th scope="row">{stageLabel(stage.stage)}</th>
                <td>{number(stage.jobs)}</td>
                <td>{seconds(stage.p50)}</td>
                <td>{seconds(stage.p95)}</td>
                <td>{seconds(stage.longest)}</td>
                <td>{seconds(stage.waited_p50)}</td>
                <td>{seconds(stage.waited_p95)}</td>
              </tr>
            ))}
          </Table>
        ) : (
          <p className="quiet">No stage was completed yet.</p>
        )}
      </section>
    </>
  )
}

interface PlotProps {
  days: readonly Day[]
  value: (day: Day) => number
  format: (amount: number) => string
  title: string
  series: string
}

function Plot({ days, value, format, title, series }: PlotProps) {
  const step = WIDTH / Math.max(1, days.length)
  const max = Math.max(...days.map(value), 1e-9)
  const sum = days.reduce((total, day) => total + value(day), 0)
  return (
    <figure className="plot">
      <figcaption>
        <strong>{format(sum)}</strong> {title}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="plot-base" />
        {days.map((day, index) => {
          const height = (value(day) / max) * (HEIGHT - 4)
          return (
            <rect key={day.day} className={`plot-${series}`} x={index * step + 2} width={step - 4} y={HEIGHT - height} height={height}>
              <title>{`${day.day}: ${format(value(day))}`}</title>
            </rect>
          )
        })}
      </svg>
      <div className="plot-ends">
        <span>{days[0]?.day}</span>
        <span>today</span>
      </div>
    </figure>
  )
}
