// Two passages side by side, and why they belong together.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf, whereabouts } from '../api/anchor'
import { announce } from '../parts/announce'
import { sentence } from '../api/problem'
import { Icon } from '../parts/icon'
import { Empty } from '../parts/pieces'
import { documentPlace, hrefTo } from '../route'
import { count } from '../words/format'
import { type Connection, mark, ordered, withoutHeadings } from './connections'

interface Props {
  id: string
  connections: readonly Connection[]
  /** Whether they are still being looked for. */
  sought: boolean
  more: (() => void) | null
}

export function Connections({ id, connections, sought, more }: Props) {
  const [withHidden, setWithHidden] = useState(false)
  const hidden = connections.filter((one) => one.hidden).length
  const shown = ordered(connections, withHidden)
  return (
    <>
      {shown.length ? (
        <ul className="connections">
          {shown.map((one) => (
            <Pair key={one.id} id={id} connection={one} />
          ))}
        </ul>
      ) : (
        <Empty icon="link" title={sought ? 'No connections yet' : 'No connections'}>
          {sought && <p>They are still being looked for.</p>}
          <p>When another document speaks of the same thing, both passages stand here side by side.</p>
        </Empty>
      )}
      {more && (
        <button type="button" className="button" onClick={more}>
          Show more connections
        </button>
      )}
      {hidden > 0 && (
        <button type="button" className="button plain" onClick={() => setWithHidden(!withHidden)}>
          {withHidden ? 'Leave out what was hidden' : `Show ${count(hidden, 'hidden connection')}`}
        </button>
      )}
    </>
  )
}

function Pair({ id, connection }: { id: string; connection: Connection }) {
  const client = useQueryClient()
  const { here, there, pinned, hidden } = connection
  const change = (wish: { pinned?: boolean; hidden?: boolean }) =>
    void mark(client, id, connection, wish).catch((error: unknown) => announce(sentence(error)))
  const [mine, theirs] = [anchorOf(here.anchor), anchorOf(there.anchor)]
  return (
    <li className={`connection${hidden ? ' is-hidden' : ''}`}>
      <p className="connection-why">
        <strong>{Math.round(connection.score * 100)} %</strong> {connection.reason}
      </p>
      <div className="connection-sides">
        <div>
          <a href={hrefTo(documentPlace(id, { tab: 'reading', chunk: here.chunk_id, page: mine.page, span: mine.span }))}>
            Here{whereabouts(mine) ? `, ${whereabouts(mine)}` : ''}
          </a>
          <p dir="auto">{withoutHeadings(here.text)}</p>
        </div>
        <div>
          <a
            href={hrefTo(
              documentPlace(there.document_id, { chunk: there.chunk_id, page: theirs.page, span: theirs.span }),
            )}
          >
            {there.document_name ?? 'Another document'}
            {whereabouts(theirs) ? `, ${whereabouts(theirs)}` : ''}
          </a>
          <p dir="auto">{withoutHeadings(there.text)}</p>
        </div>
      </div>
      <div className="connection-actions">
        <button type="button" className="button plain" aria-pressed={pinned} onClick={() => change({ pinned: !pinned })}>
          <Icon name="pin" />
          {pinned ? 'Unpin' : 'Pin'}
        </button>
        <button type="button" className="button plain" aria-pressed={hidden} onClick={() => change({ hidden: !hidden })}>
          <Icon name="hide" />
          {hidden ? 'Show again' : 'Hide'}
        </button>
      </div>
    </li>
  )
}
