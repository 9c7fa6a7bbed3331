// Blocks as React elements. Text goes in as text nodes only, so no document can speak HTML here.
import type { ReactNode } from 'react'
import type { Block } from './blocks'
import { type Inline, inlineOf } from './inline'
import type { Line } from './source'

export interface Mark {
  start: number
  end: number
  kind: 'passage' | 'field' | 'word'
}

export interface Ink {
  marks: readonly Mark[]
  /** The last heading's level, so that levels never skip for those who listen to the page. */
  level: { now: number }
}

export function renderBlocks(blocks: readonly Block[], ink: Ink): ReactNode[] {
  return blocks.map((block) => renderBlock(block, ink))
}

function renderBlock(block: Block, ink: Ink): ReactNode {
  switch (block.type) {
    case 'heading': {
      // The document's name is the page's first heading, so its own begin at the second.
      const level = Math.min(6, block.level + 1, ink.level.now + 1)
      ink.level.now = level
      const Tag = `h${level}` as 'h2'
      return (
        <Tag key={block.at} className={`md-h md-h${block.level}`}>
          {words(block.lines, ink)}
        </Tag>
      )
    }
    case 'paragraph':
      return <p key={block.at}>{words(block.lines, ink)}</p>
    case 'code':
      return (
        <pre key={block.at} tabIndex={0}>
          <code>{block.lines.map((line, index) => [index ? '\n' : '', ...marked(line.text, line.at, ink)])}</code>
        </pre>
      )
    case 'quote':
      return <blockquote key={block.at}>{renderBlocks(block.blocks, ink)}</blockquote>
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{item.map((inner) => tight(inner, ink))}</li>)
      return block.ordered ? (
        <ol key={block.at} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={block.at}>{items}</ul>
      )
    }
    case 'table':
      return table(block, ink)
    case 'note':
      return (
        <aside key={block.at} className="md-note" aria-label={`Note ${block.name}`}>
          <sup>{block.name}</sup>
          <div>{renderBlocks(block.blocks, ink)}</div>
        </aside>
      )
    case 'rule':
      return <hr key={block.at} />
  }
}

/** A paragraph inside a list item needs no margins of its own. */
function tight(block: Block, ink: Ink): ReactNode {
  return block.type === 'paragraph' ? <div key={block.at}>{words(block.lines, ink)}</div> : renderBlock(block, ink)
}

function table(block: Block & { type: 'table' }, ink: Ink): ReactNode {
  const [head, ...body] = block.rows
  const styled = (index: number) => (block.align[index] ? `align-${block.align[index]}` : undefined)
  return (
    <div key={block.at} className="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head!.map((cell, index) =>
              // An empty cell heads nothing, and is not to be announced as if it did.
              cell.text.trim() ? (
                <th key={index} scope="col" className={styled(index)}>
                  {words([cell], ink)}
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
                  {words([cell], ink)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function words(lines: readonly Line[], ink: Ink): ReactNode[] {
  return inlineOf(lines).map((node, index) => inline(node, index, ink))
}

function inline(node: Inline, key: number, ink: Ink): ReactNode {
  const inner = (children: Inline[]) => children.map((child, index) => inline(child, index, ink))
  switch (node.type) {
    case 'text':
      return marked(node.text, node.at, ink)
    case 'code':
      return <code key={key}>{marked(node.text, node.at, ink)}</code>
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
        <a key={key} href={node.address} target="_blank" rel="noopener noreferrer nofollow">
          {inner(node.children)}
        </a>
      )
    case 'image':
      // Pictures of a document are not fetched: some are elsewhere, and looking at them would tell.
      return (
        <span key={key} className="md-image">
          {node.children.length ? inner(node.children) : 'picture'}
        </span>
      )
    case 'reference':
      return <sup key={key}>{node.name}</sup>
  }
}

/** Text with the marks that fall into it. */
export function marked(text: string, at: number, { marks }: Pick<Ink, 'marks'>): ReactNode[] {
  const within = marks.filter((mark) => mark.start < at + text.length && mark.end > at)
  if (!within.length) return [text]
  const edges = new Set([0, text.length])
  for (const mark of within) {
    edges.add(Math.max(0, mark.start - at))
    edges.add(Math.min(text.length, mark.end - at))
  }
  const cuts = [...edges].sort((one, other) => one - other)
  return cuts.slice(0, -1).map((start, index) => {
    const piece = text.slice(start, cuts[index + 1])
    const mark = within.findLast((one) => one.start <= at + start && one.end > at + start)
    return mark ? (
      <mark key={at + start} className={`mark-${mark.kind}`} data-mark={mark.start}>
        {piece}
      </mark>
    ) : (
      piece
    )
  })
}
