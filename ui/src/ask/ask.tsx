// The conversation view: a question, its answer sentence by sentence, and citations that open the cited passage.
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { anchorOf, locationText } from '../api/anchor'
import { renderLines } from '../markdown/passage'
import { Icon } from '../parts/icon'
import { Empty, Notice } from '../parts/notices'
import { useStore } from '../parts/store'
import { useTitle } from '../parts/title'
import { type AskRoute, documentRoute, hrefTo, type SearchRoute } from '../route'
import { timecode } from '../words/format'
import { askQuestion, clearConversation, conversation, sourceKey, sourcesOf, type Turn } from './conversation'
import { AskScope } from './scope'
import type { Citation } from './stream'

/** The longest question that the server accepts, in characters. */
const MAX_LENGTH = 4_000

export function Ask({ route }: { route: AskRoute }) {
  const turns = useStore(conversation)
  const [input, setInput] = useState(route.q)
  const box = useRef<HTMLInputElement>(null)
  useTitle('Ask')
  useEffect(() => box.current?.focus(), [])
  const list = useRef<HTMLDivElement>(null)
  const shown = useRef(turns.length)
  // A new question moves to the top of the window, so that its answer is in sight.
  useEffect(() => {
    if (turns.length > shown.current) list.current?.lastElementChild?.scrollIntoView({ block: 'start' })
    shown.current = turns.length
  }, [turns.length])
  const waiting = turns.some(({ finished, error }) => finished === null && error === null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const question = input.trim()
    if (!question || waiting) return
    setInput('')
    // A question that was not answered can be sent again, unless the next one is being written.
    void askQuestion(question, route).then((answered) => {
      if (!answered) setInput((written) => written || question)
    })
  }
  return (
    <div className="page search ask">
      <h1 className="hidden">Ask</h1>
      <div className="ask-links">
        <a href={hrefTo(searchRoute(route))}>Search instead</a>
        <AskScope route={route} />
        {turns.length > 0 && (
          <button type="button" className="button" disabled={waiting} onClick={clearConversation}>
            Clear answers
          </button>
        )}
      </div>
      {turns.length === 0 && (
        <Empty icon="ask" title="Ask a question">
          <p>The answer is made from your documents. Each sentence names the passages that support it.</p>
        </Empty>
      )}
      <div className="turns" aria-live="polite" ref={list}>
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

function searchRoute({ q, kind, document, language, type, collection, tag }: AskRoute): SearchRoute {
  const conditions = { language: language ?? null, type: type ?? null, year: null, collection: collection ?? null, tag: tag ?? null }
  return { view: 'search', q, mode: 'hybrid', kind, document, ...conditions }
}

function TurnView({ turn: { question, sentences, finished, error } }: { turn: Turn }) {
  const sources = sourcesOf(sentences)
  // Without a chat model the answer consists of quotations; they are not shown again below their sources.
  const quoted = finished?.answered_by === 'passages'
  const numbers = new Map(sources.map((source, index) => [sourceKey(source), index + 1]))
  return (
    <section className="turn">
      <h2 dir="auto">{question}</h2>
      {sentences.length > 0 && (
        <p className={quoted ? 'answer quoted' : 'answer'} dir="auto">
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
              {!quoted && <blockquote dir="auto">{renderLines(source.quote, [])}</blockquote>}
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
