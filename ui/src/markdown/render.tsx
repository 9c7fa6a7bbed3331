// Renders markdown blocks as React elements. Text becomes text nodes only, so a document cannot inject HTML.
import type { ReactNode } from 'react'
import type { Block } from './blocks'
import { type Inline, inlineOf } from './inline'
import type { Line } from './source'

export interface Mark {
  start: number
  end: number
  kind: 'chunk' | 'field' | 'word' | 'found' | 'current'
}

export interface RenderContext {
  marks: readonly Mark[]
  /** The level of the last heading; screen readers need levels without gaps. */
  level: { current: number }
}

export function renderBlocks(blocks: readonly Block[], context: RenderContext): ReactNode[] {
  return blocks.map((block) => renderBlock(block, context))
}

function renderBlock(block: Block, context: RenderContext): ReactNode {
  switch (block.type) {
    case 'heading': {
      // The document's name is the page's h1, so headings of the text start at h2.
      const level = Math.min(6, block.level + 1, context.level.current + 1)
      context.level.current = level
      const Tag = `h${level}` as 'h2'
      return (
        <Tag key={block.at} className={`md-h md-h${block.level}`}>
          {inlineNodes(block.lines, context)}
        </Tag>
      )
    }
    case 'paragraph':
      return <p key={block.at}>{inlineNodes(block.lines, context)}</p>
    case 'code':
      return (
        <pre key={block.at} tabIndex={0}>
          <code>{block.lines.map((line, index) => [index ? '\n' : '', ...withMarks(line.text, line.at, context)])}</code>
        </pre>
      )
    case 'quote':
      return <blockquote key={block.at}>{renderBlocks(block.blocks, context)}</blockquote>
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{item.map((inner) => listItemBlock(inner, context))}</li>)
      return block.ordered ? (
        <ol key={block.at} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={block.at}>{items}</ul>
      )
    }
    case 'table':
      return table(block, context)
    case 'note':
      return (
        <aside key={block.at} className="md-note" aria-label={`Note ${block.name}`}>
          <sup>{block.name}</sup>
          <div>{renderBlocks(block.blocks, context)}</div>
        </aside>
      )
    case 'rule':
      return <hr key={block.at} />
  }
}

/** A paragraph inside a list item is drawn without margins. */
function listItemBlock(block: Block, context: RenderContext): ReactNode {
  return block.type === 'paragraph' ? <div key={block.at}>{inlineNodes(block.lines, context)}</div> : renderBlock(block, context)
}

function table(block: Block & { type: 'table' }, context: RenderContext): ReactNode {
  const [head, ...body] = block.rows
  const styled = (index: number) => (block.align[index] ? `align-${block.align[index]}` : undefined)
  return (
    <div key={block.at} className="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head!.map((cell, index) =>
              // An empty cell is no header; screen readers would announce it as one.
              cell.text.trim() ? (
                <th key={index} scope="col" className={styled(index)}>
                  {inlineNodes([cell], context)}
                </th>
              ) : (
                <td key={index} />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {body.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} className={styled(index)}>
                  {inlineNodes([cell], context)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function inlineNodes(lines: readonly Line[], context: RenderContext): ReactNode[] {
  return inlineOf(lines).map((node, index) => inline(node, index, context))
}

function inline(node: Inline, key: number, context: RenderContext): ReactNode {
  const inner = (children: Inline[]) => children.map((child, index) => inline(child, index, context))
  switch (node.type) {
    case 'text':
      return withMarks(node.text, node.at, context)
    case 'code':
      return <code key={key}>{withMarks(node.text, node.at, context)}</code>
    case 'break':
      return <br key={key} />
    case 'strong':
      return <strong key={key}>{inner(node.children)}</strong>
    case 'emphasis':
      return <em key={key}>{inner(node.children)}</em>
    case 'struck':
      return <s key={key}>{inner(node.children)}</s>
    case 'link':
      return (
        <a key={key} href={node.url} target="_blank" rel="noopener noreferrer nofollow">
          {inner(node.children)}
        </a>
      )
    case 'image':
      // Images are not fetched: requests to other servers would reveal that the document is being read.
      return (
        <span key={key} className="md-image">
          {node.children.length ? inner(node.children) : 'image'}
        </span>
      )
    case 'reference':
      return <sup key={key}>{node.name}</sup>
  }
}

/** Text with the marks that overlap it. */
export function withMarks(text: string, at: number, { marks }: Pick<RenderContext, 'marks'>): ReactNode[] {
  const overlapping = marks.filter((mark) => mark.start < at + text.length && mark.end > at)
  if (!overlapping.length) return [text]
  const edges = new Set([0, text.length])
  for (const mark of overlapping) {
    edges.add(Math.max(0, mark.start - at))
    edges.add(Math.min(text.length, mark.end - at))
  }
  const cuts = [...edges].sort((a, b) => a - b)
  return cuts.slice(0, -1).map((start, index) => {
    const part = text.slice(start, cuts[index + 1])
    const mark = overlapping.findLast(({ start: from, end }) => from <= at + start && end > at + start)
    return mark ? (
      <mark key={at + start} className={`mark-${mark.kind}`} data-mark={mark.start}>
        {part}
      </mark>
    ) : (
      part
    )
  })
}
