// Asks the server and reads its answer, a stream of server-sent events.
import { request, type View } from '../api/client'
import { problemFrom } from '../api/problem'
import { apiUrl } from '../api/url'
import type { AskRoute } from '../route'

export type Sentence = View<'SentenceView'>
export type Citation = View<'CitationView'>
export type Finished = Omit<View<'AnswerView'>, 'question' | 'sentences' | 'passages'>

/** The documents that are asked: all, or those that meet every condition. */
export type Scope = Omit<AskRoute, 'view' | 'q'>

export interface Listener {
  sentence(sentence: Sentence): void
  done(finished: Finished): void
}

/** Sends the question and calls the listener for each part of the answer. Throws a Problem if there is no answer. */
export async function ask(question: string, scope: Scope, listener: Listener): Promise<void> {
  const answer = await request(apiUrl('/ask'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ question, ...conditions(scope) }),
  })
  let ended = false
  for await (const { name, data } of readEvents(answer.body!)) {
    if (name === 'sentence') listener.sentence(JSON.parse(data) as Sentence)
    else if (name === 'done') {
      ended = true
      listener.done(JSON.parse(data) as Finished)
    } else if (name === 'error') {
      const problem = JSON.parse(data) as { status?: number }
      throw problemFrom(problem.status ?? 500, problem)
    }
  }
  if (!ended) throw problemFrom(502, { detail: 'The answer ended before it was complete. Ask again.' })
}

function conditions({ kind, document, language, type, collection, tag }: Scope): Partial<View<'AskRequest'>> {
  return {
    ...(kind ? { kind: kind as 'call' } : {}),
    ...(document ? { document_id: document } : {}),
    ...(language ? { languages: [language] } : {}),
    ...(type ? { media_types: type.split(',') } : {}),
    ...(collection ? { collections: [collection] } : {}),
    ...(tag ? { tags: [tag] } : {}),
  }
}

export interface ServerEvent {
  name: string
  data: string
}

/** The events of a stream; each ends with an empty line. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  while (true) {
    const { value, done } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield parseEvent(block)
    if (done) return
  }
}

function parseEvent(block: string): ServerEvent {
  const event: ServerEvent = { name: 'message', data: '' }
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event.name = line.slice(7)
    else if (line.startsWith('data: ')) event.data += line.slice(6)
  }
  return event
}
