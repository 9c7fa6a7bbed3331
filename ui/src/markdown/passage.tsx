// A passage as rendered markdown: of a chunk, a connection or a search result.
import { type ReactNode, useMemo } from 'react'
import { type Block, parse } from './blocks'
import { inlineNodes, type Mark, type RenderContext, renderBlocks, withMarks } from './render'

/** A passage with headings, lists and tables. Its headings start below those of its card. */
export function Passage({ text, className }: { text: string; className: string }) {
  const nodes = useMemo(() => renderBlocks(parse(text), { marks: [], level: { current: 2 } }), [text])
  return (
    <div className={className} dir="auto">
      {nodes}
    </div>
  )
}

/** A few lines of a passage: headings are bold, and items and cells follow each other. */
export function renderLines(text: string, marks: readonly Mark[]): ReactNode[] {
  const context: RenderContext = { marks, level: { current: 6 } }
  return join(parse(text).map((block) => lineOf(block, context)), ' ')
}

function lineOf(block: Block, context: RenderContext): ReactNode {
  switch (block.type) {
    case 'heading':
      return <strong key={block.at}>{inlineNodes(block.lines, context)}</strong>
    case 'paragraph':
      return <span key={block.at}>{inlineNodes(block.lines, context)}</span>
    case 'code':
      return <code key={block.at}>{join(block.lines.map((line) => withMarks(line.text, line.at, context)), '\n')}</code>
    case 'quote':
    case 'note':
      return <span key={block.at}>{join(block.blocks.map((inner) => lineOf(inner, context)), ' ')}</span>
    case 'list':
      return <span key={block.at}>{join(block.items.flatMap((item) => ['• ', ...item.map((inner) => lineOf(inner, context))]), ' ')}</span>
    case 'table':
      return <span key={block.at}>{join(block.rows.flat().filter((cell) => cell.text).map((cell) => inlineNodes([cell], context)), ' · ')}</span>
    case 'rule':
      return null
  }
}

function join(nodes: readonly ReactNode[], between: string): ReactNode[] {
  return nodes.flatMap((node, index) => (index ? [between, node] : [node]))
}
