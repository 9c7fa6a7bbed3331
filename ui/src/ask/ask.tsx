// The conversation view: a question, its answer sentence by sentence, and citations that open the cited passage.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { anchorOf, locationText } from '../api/anchor'
import { documentQuery } from '../api/queries'
import { renderLines } from '../markdown/passage'
import { Icon } from '../parts/icon'
import { Empty, Notice } from '../parts/notices'
import { useStore } from '../parts/store'
import { useTitle } from '../parts/title'
import { type AskRoute, documentRoute, hrefTo, type SearchRoute } from '../route'
import { timecode } from '../words/format'
import { askQuestion, conversation, sourceKey, sourcesOf, type Turn } from './conversation'
import type { Citation } from './stream'

/** The longest question that the server accepts, in characters. */
const MAX_LENGTH = 4_000

export function Ask({ route }: { route: AskRoute }) {
  const turns = useStore(conversation)
  const [input, setInput] = useState(route.q)
  const box = useRef<HTMLInputElement>(null)
  useTitle('Ask')
  useEffect(() => box.current?.focus(), [])
  const waiting = turns.some(({ finished, error }) => finished === null && error === null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const question = input.trim()
    if (!question || waiting) return
    setInput('')
    void askQuestion(question, route)
  }
  return (
    <div className="page search ask">
      <h1 className="hidden">Ask</h1>
      <p className="ask-links">
        <a href={hrefTo(searchRoute(route))}>Back to the search</a>
        {route.document && <InDocument id={route.document} />}
      </p>
      {turns.length === 0 && (
        <Empty icon="search" title="Ask a question">
          <p>The answer is made from your documents. Each sentence names the passages that support it.</p>
        </Empty>
      )}
      <div className="turns" aria-live="polite">
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} />
        ))}
      </div>
      <form className="field search-box" onSubmit={submit}>
        <Icon name="search" />
        <input
          ref={box}
          aria-label="Question"
          placeholder="Ask a question"
          maxLength={MAX_LENGTH}
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
        <button type="submit" className="button" disabled={waiting || !input.trim()}>
          Ask
        </button>
      </form>
    </div>
  )
}

function searchRoute({ q, kind, document }: AskRoute): SearchRoute {
  return { view: 'search', q, mode: 'hybrid', kind, document, language: null, type: null, year: null }
}

function InDocument({ id }: { id: string }) {
  const { data } = useQuery(documentQuery(id))
  return <span className="small"> Only in {data?.name ?? 'one document'}</span>
}

function TurnView({ turn: { question, sentences, finished, error } }: { turn: Turn }) {
  const sources = sourcesOf(sentences)
  const numbers = new Map(sources.map((source, index) => [sourceKey(source), index + 1]))
  return (
    <section className="turn">
      <h2 dir="auto">{question}</h2>
      {sentences.length > 0 && (
        <p className="answer" dir="auto">
          {sentences.map(({ text, citations }, index) => (
            <span key={index}>
              {renderLines(text, [])}
              {citations.map((citation) => (
                <CitationLink key={sourceKey(citation)} citation={citation} number={numbers.get(sourceKey(citation))!} />
              ))}{' '}
            </span>
          ))}
        </p>
      )}
      {finished?.message && <p className="answer-note">{finished.message}</p>}
      {finished?.truncated && <p className="answer-note">The answer reached the limit of the chat model.</p>}
      {sources.length > 0 && (
        <ol className="sources" aria-label="Sources">
          {sources.map((source) => (
            <li key={sourceKey(source)}>
              <a href={citationHref(source)} dir="auto">
                {source.document_name}
              </a>
              <span className="hit-where">{whereText(source)}</span>
              <blockquote dir="auto">{renderLines(source.quote, [])}</blockquote>
            </li>
          ))}
        </ol>
      )}
      {error !== null ? (
        <Notice tone="bad">
          <p>{error}</p>
        </Notice>
      ) : (
        finished === null && (
          <p className="answer-note" role="status">
            <span className="spinner" /> Answering
          </p>
        )
      )}
    </section>
  )
}

function CitationLink({ citation, number }: { citation: Citation; number: number }) {
  const where = whereText(citation)
  const name = `Source ${number}: ${citation.document_name}${where ? `, ${where}` : ''}`
  return (
    <a className="citation" href={citationHref(citation)} aria-label={name} title={citation.quote}>
      [{number}]
    </a>
  )
}

function whereText({ anchor: raw }: Citation): string {
  const anchor = anchorOf(raw)
  return [anchor.speaker, anchor.seconds && timecode(anchor.seconds[0]), locationText(anchor)].filter(Boolean).join(' · ')
}

/** The document at the cited passage, where it is marked in the text and boxed on the page. */
function citationHref({ document_id, chunk_id, ordinal, anchor }: Citation): string {
  return hrefTo(documentRoute(document_id, { chunk: chunk_id, ordinal, page: anchorOf(anchor).page }))
}
