// The analysis of a call: summary, topics, speakers, action items and questions.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { rerun } from '../api/actions'
import { api, nullIfMissing, unwrap } from '../api/client'
import { errorText } from '../api/problem'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { Notice } from '../parts/notices'

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
    queryFn: ({ signal }) =>
      nullIfMissing(
        unwrap(api.GET('/documents/{document_id}/analysis', { params: { path: { document_id: id } }, signal })),
      ) as Promise<CallAnalysis | null>,
    staleTime: Infinity,
  })

export function Analysis({ id, processing }: { id: string; processing: boolean }) {
  const { data } = useQuery(analysisQuery(id))
  if (!data) return null
  return (
    <section className="analysis" aria-label="Call analysis">
      {data.warning && (
        <Notice tone="waiting">
          <p>{data.warning}</p>
          <AnalyzeAgain id={id} processing={processing} />
        </Notice>
      )}
      {data.summary && <p dir="auto">{data.summary}</p>}
      {data.topics.length > 0 && <p className="quiet small">{data.topics.join(' · ')}</p>}
      {data.speakers.length > 0 && (
        <ul className="shares">
          {data.speakers.map(({ speaker, share, sentiment, reason }) => (
            <li key={speaker} title={reason ?? undefined}>
              <span>{speaker}</span>
              <span className="share">
                <i style={{ transform: `scaleX(${share})` }} />
              </span>
              <span className="quiet small">
                {Math.round(share * 100)} %{sentiment ? `, ${sentiment}` : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Points title="Action items" points={data.action_items.map(actionItemText)} />
      <Points title="Questions" points={data.questions} />
    </section>
  )
}

/** Runs the analyze stage again; the transcript is reused. */
function AnalyzeAgain({ id, processing }: { id: string; processing: boolean }) {
  const client = useQueryClient()
  const mutation = useMutation({
    mutationFn: () => rerun(client, id, { fromStage: 'analyze', fresh: false }),
    onError: (error) => announce(errorText(error)),
  })
  const busy = mutation.isPending || processing
  return (
    <button type="button" className="button" disabled={busy} onClick={() => mutation.mutate()}>
      <Icon name="retry" />
      {busy ? 'Analyzing' : 'Analyze again'}
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

/** `Send the invoice (Anna, by noon)`. */
export function actionItemText({ text, owner, due }: CallAnalysis['action_items'][number]): string {
  const details = [owner, due && `by ${due}`].filter(Boolean).join(', ')
  return details ? `${text} (${details})` : text
}
