import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { parse } from './blocks'
import { type Mark, renderBlocks } from './render'
import { toUtf16 } from './source'

function html(markdown: string, marks: Mark[] = []): string {
  const nodes: ReactNode[] = renderBlocks(parse(markdown), { marks, level: { current: 1 } })
  return renderToStaticMarkup(<>{nodes}</>)
}

declare const process: { cpuUsage(): { user: number } }

/** Milliseconds of CPU time of this process, which do not depend on the load of the machine. */
const cpuTime = () => process.cpuUsage().user / 1_000

describe('rendering', () => {
  test('headings keep their style but never skip a level', () => {
    expect(html('# One\n\n#### Deep\n\n## Two')).toBe(
      '<h2 class="md-h md-h1">One</h2><h3 class="md-h md-h4">Deep</h3><h3 class="md-h md-h2">Two</h3>',
    )
  })

  test('emphasis, code, strikethrough and links', () => {
    expect(html('**bold** and *slanted* and `a < b` and ~~gone~~')).toBe(
      '<p><strong>bold</strong> and <em>slanted</em> and <code>a &lt; b</code> and <s>gone</s></p>',
    )
    expect(html('[here](https://example.org/a_b)')).toContain('href="https://example.org/a_b"')
    expect(html('see https://example.org/x.')).toContain('<a href="https://example.org/x"')
  })

  test('characters without meaning in markdown stay text', () => {
    expect(html('2 * 3 * 4 and snake_case_name and a ~ b')).toBe('<p>2 * 3 * 4 and snake_case_name and a ~ b</p>')
    expect(html('a \\* b \\<b\\> \\[x]\\(y)')).toBe('<p>a * b &lt;b&gt; [x](y)</p>')
  })

  test('lists nest, start at their number and hold paragraphs', () => {
    expect(html('3. three\n4. four\n   - inner\n   - other')).toBe(
      '<ol start="3"><li><div>three</div></li><li><div>four</div><ul><li><div>inner</div></li><li><div>other</div></li></ul></li></ol>',
    )
  })

  test('tables have a head, alignment and escaped borders', () => {
    const rendered = html('| a | b |\n| --- | ---: |\n| x \\| y | 2 |')
    expect(rendered).toContain('<th scope="col">a</th>')
    expect(rendered).toContain('<td>x | y</td>')
    expect(rendered).toContain('<td class="align-right">2</td>')
    expect(html('| a |  |\n| --- | --- |\n| x | y |')).toContain('<th scope="col">a</th><td></td>')
  })

  test('an HTML table becomes a table of its text', () => {
    const rendered = html('<table>\n<tr><th>Name</th><td onclick="x()">A <b>B</b></td></tr>\n</table>\n\nafter')
    expect(rendered).toContain('<th scope="col">Name</th>')
    expect(rendered).toContain('A  B')
    expect(rendered).not.toContain('onclick')
    expect(rendered).toContain('<p>after</p>')
  })

  test('quotes, rules, code blocks and footnotes', () => {
    expect(html('> said\n> twice\n\n---\n\n```js\n<b>\n```')).toBe(
      '<blockquote><p>said\ntwice</p></blockquote><hr/><pre tabindex="0"><code>&lt;b&gt;</code></pre>',
    )
    expect(html('word[^1]\n\n[^1]: the note')).toContain('<sup>1</sup>')
  })

  test('images show their text and are not fetched', () => {
    expect(html('![a cat](https://example.org/cat.png)')).toBe('<p><span class="md-image">a cat</span></p>')
  })
})

describe('a hostile document', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '[click](javascript:alert(1))',
    '[click](JaVaScRiPt:alert(1))',
    '[click](data:text/html,<script>alert(1)</script>)',
    '[click](vbscript:x)',
    '![x](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[a](https://ok.example/"onmouseover="alert(1))',
    '**<script>**alert(1)**</script>**',
    '| <script> |\n| --- |\n| javascript:alert(1) |',
    '# <img src=x onerror=alert(1)>',
    '<table><tr><td><script>alert(1)</script></td></tr></table>',
  ])('%s stays text', (text) => {
    const rendered = html(text)
    expect(rendered).not.toMatch(/<(script|img|svg|iframe)/i)
    expect(rendered).not.toMatch(/href="(?!https?:|mailto:)/i)
    expect(rendered).not.toMatch(/<[^>]*\son\w+=/i)
  })

  test.each(['*'.repeat(100_000), '['.repeat(50_000), '`'.repeat(50_001), '> '.repeat(20_000), '- '.repeat(20_000), '![](' .repeat(30_000), '_a '.repeat(50_000), '|'.repeat(50_000)])(
    'long runs of special characters take linear time',
    (text) => {
      const started = cpuTime()
      html(text)
      expect(cpuTime() - started).toBeLessThan(1_500)
    },
  )
})

describe('marks', () => {
  test('a span of the file is marked across emphasis and lines', () => {
    const text = 'one **two three** four\nfive'
    const start = text.indexOf('three')
    const rendered = html(text, [{ start, end: text.indexOf('five') + 4, kind: 'chunk' }])
    const marked = [...rendered.matchAll(/<mark[^>]*>([^<]*)<\/mark>/g)].map((match) => match[1])
    expect(marked.join('')).toBe('three four\nfive')
  })

  test('a span inside a table cell and a list item is found', () => {
    for (const text of ['| a | b |\n| --- | --- |\n| here | there |', '- first\n- some here words']) {
      const start = text.indexOf('here')
      expect(html(text, [{ start, end: start + 4, kind: 'field' }])).toContain('>here</mark>')
    }
  })

  test('offsets in code points become offsets in UTF-16 code units', () => {
    expect(toUtf16('a😀b😀c', [0, 1, 2, 3, 4, 5])).toEqual([0, 1, 3, 4, 6, 7])
    expect(toUtf16('plain', [0, 5])).toEqual([0, 5])
  })
})
