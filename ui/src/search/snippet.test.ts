import { describe, expect, test } from 'vitest'
import { splitHighlights } from './snippet'

describe('snippets', () => {
  const marked = (text: string, spans: number[][]) =>
    splitHighlights(text, spans)
      .map((part) => (part.hit ? `[${part.text}]` : part.text))
      .join('')

  test('highlights are marked in any order, overlapping or after emoji', () => {
    expect(marked('one two three', [[8, 13], [0, 3]])).toBe('[one] two [three]')
    expect(marked('one two', [[0, 5], [2, 7]])).toBe('[one t][wo]')
    expect(marked('😀 smile', [[2, 7]])).toBe('😀 [smile]')
    expect(marked('plain', [])).toBe('plain')
  })
})
