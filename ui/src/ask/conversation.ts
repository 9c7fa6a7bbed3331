// The questions of this session and their answers. They stay while documents are opened, until the page is reloaded.
import { errorText } from '../api/problem'
import { createStore } from '../parts/store'
import { ask, type Citation, type Finished, type Scope, type Sentence } from './stream'

export interface Turn {
  id: number
  question: string
  sentences: Sentence[]
  /** Null while the answer is being written. */
  finished: Finished | null
  error: string | null
}

export const conversation = createStore<readonly Turn[]>([])

export function clearConversation(): void {
  conversation.set([])
}

let questions = 0

/** Asks and adds the answer to the conversation. Returns whether there was an answer. */
export async function askQuestion(question: string, scope: Scope): Promise<boolean> {
  const id = (questions += 1)
  const turn: Turn = { id, question, sentences: [], finished: null, error: null }
  conversation.set([...conversation.get(), turn])
  const change = (changed: (turn: Turn) => Partial<Turn>) =>
    conversation.set(conversation.get().map((other) => (other.id === id ? { ...other, ...changed(other) } : other)))
  try {
    await ask(question, scope, {
      sentence: (sentence) => change(({ sentences }) => ({ sentences: [...sentences, sentence] })),
      done: (finished) => change(() => ({ finished })),
    })
    return true
  } catch (error) {
    change(() => ({ error: errorText(error) }))
    return false
  }
}

/** The citations of an answer without repetitions; the number of a citation is its place in this list. */
export function sourcesOf(sentences: readonly Sentence[]): Citation[] {
  const sources = new Map<string, Citation>()
  for (const citation of sentences.flatMap(({ citations }) => citations)) {
    const key = sourceKey(citation)
    if (!sources.has(key)) sources.set(key, citation)
  }
  return [...sources.values()]
}

export function sourceKey({ chunk_id, start, end }: Citation): string {
  return `${chunk_id}/${start}/${end}`
}
