import { expect, test } from 'vitest'
import { sourcesOf } from './conversation'
import { readEvents, type ServerEvent, type Sentence } from './stream'

function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
}

test.each([1, 3, 1000])('events are read from parts of %i bytes', async (size) => {
  const text = 'event: sentence\ndata: {"text":"Zwölf — 十二"}\n\nevent: done\ndata: {}\n\n'
  const events: ServerEvent[] = []
  for await (const event of readEvents(streamOf(text, size))) events.push(event)
  expect(events).toEqual([
    { name: 'sentence', data: '{"text":"Zwölf — 十二"}' },
    { name: 'done', data: '{}' },
  ])
})

test('a citation that is used twice is one source', () => {
  const citation = (chunk: string, start: number) => ({
    chunk_id: chunk,
    document_id: 'd',
    document_name: 'a.md',
    document_kind: 'document',
    ordinal: 0,
    anchor: {},
    quote: 'words',
    start,
    end: start + 5,
  })
  const sentences: Sentence[] = [
    { text: 'One.', citations: [citation('a', 0), citation('b', 0)] },
    { text: 'Two.', citations: [citation('a', 0), citation('a', 7)] },
  ]
  expect(sourcesOf(sentences).map(({ chunk_id, start }) => [chunk_id, start])).toEqual([
    ['a', 0],
    ['b', 0],
    ['a', 7],
  ])
})
