// What a call was about, above its transcript: summary, who spoke how much, what is to be done.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { rerun } from '../api/actions'
import { request } from '../api/client'
import { fill, place } from '../api/place'
import { Problem, sentence } from '../api/problem'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { Notice } from '../parts/pieces'

export interface CallAnalysis {
  summary: string | null
  topics: string[]
  action_items: { text: string; owner: string | null; due: string | null }[]
  questions: string[]
  speakers: { speaker: string; share: number; sentiment: string | null; reason: string | null }[]
  warning: string | null
}

const analysisQuery = (id: string) =>
  queryOptions({
    queryKey: ['analysis', id],
    queryFn: async ({ signal }): Promise<CallAnalysis | null> => {
      try {
        return (await (await request(place(fill('/documents/{id}/analysis', { id })), { signal })).json()) as CallAnalysis
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      }
    },
    staleTime: Infinity,
  })

export function Analysis({ id, going }: { id: string; going: boolean }) {
  const { data } = useQuery(analysisQuery(id))
  if (!data) return null
  return (
    <section className="analysis" aria-label="What the call was about">
      {data.warning && (
        <Notice tone="waiting">
          <p>{data.warning}</p>
          <Again id={id} going={going} />
        </Notice>
      )}
      {data.summary && <p dir="auto">{data.summary}</p>}
      {data.topics.length > 0 && <p className="quiet small">{data.topics.join(' · ')}</p>}
      {data.speakers.length > 0 && (
        <ul className="shares">
          {data.speakers.map((one) => (
            <li key={one.speaker} title={one.reason ?? undefined}>
              <span>{one.speaker}</span>
              <span className="share">
                <i style={{ transform: `scaleX(${one.share})` }} />
              </span>
              <span className="quiet small">
                {Math.round(one.share * 100)} %{one.sentiment ? `, ${one.sentiment}` : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Points title="To do" points={data.action_items.map(todo)} />
      <Points title="Questions" points={data.questions} />
    </section>
  )
}

/** Only the analysis is made again; the transcript stays as it is. */
function Again({ id, going }: { id: string; going: boolean }) {
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: () => rerun(client, id, { fromStage: 'analyze', fresh: false }),
    onError: (error) => announce(sentence(error)),
  })
  const busy = again.isPending || going
  return (
    <button type="button" className="button" disabled={busy} onClick={() => again.mutate()}>
      <Icon name="retry" />
      {busy ? 'Analyzing again' : 'Analyze again'}
    </button>
  )
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  if (!points.length) return null
  return (
    <>
      <h2>{title}</h2>
      <ul className="points">
        {points.map((point, index) => (
          <li key={index} dir="auto">
            {point}
          </li>
        ))}
      </ul>
    </>
  )
}

/** `Send somebody (Keeper, by noon)`. */
export function todo({ text, owner, due }: CallAnalysis['action_items'][number]): string {
  const more = [owner, due && `by ${due}`].filter(Boolean).join(', ')
  return more ? `${text} (${more})` : text
}
