// Connected chunks side by side, with the reason of each connection.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf, locationText } from '../api/anchor'
import { announce } from '../parts/announce'
import { errorText } from '../api/problem'
import { Icon } from '../parts/icon'
import { Empty } from '../parts/notices'
import { documentRoute, hrefTo } from '../route'
import { count } from '../words/format'
import { type Connection, markConnection, sortConnections, withoutHeadings } from './connections'

interface Props {
  id: string
  connections: readonly Connection[]
  /** Whether the connect stage is still to come or running. */
  pending: boolean
  more: (() => void) | null
}

export function Connections({ id, connections, pending, more }: Props) {
  const [withHidden, setWithHidden] = useState(false)
  const hidden = connections.filter(({ hidden: isHidden }) => isHidden).length
  const shown = sortConnections(connections, withHidden)
  return (
    <>
      {shown.length ? (
        <ul className="connections">
          {shown.map((connection) => (
            <ConnectionItem key={connection.id} id={id} connection={connection} />
          ))}
        </ul>
      ) : (
        <Empty icon="link" title={pending ? 'No connections yet' : 'No connections'}>
          {pending && <p>Still searching for connections.</p>}
          <p>Similar passages of other documents are listed here.</p>
        </Empty>
      )}
      {more && (
        <button type="button" className="button" onClick={more}>
          Show more connections
        </button>
      )}
      {hidden > 0 && (
        <button type="button" className="button plain" onClick={() => setWithHidden(!withHidden)}>
          {withHidden ? 'Hide hidden connections' : `Show ${count(hidden, 'hidden connection')}`}
        </button>
      )}
    </>
  )
}

function ConnectionItem({ id, connection }: { id: string; connection: Connection }) {
  const client = useQueryClient()
  const { this: chunk, other, pinned, hidden } = connection
  const change = (marks: { pinned?: boolean; hidden?: boolean }) =>
    void markConnection(client, id, connection, marks).catch((error: unknown) => announce(errorText(error)))
  const [anchor, otherAnchor] = [anchorOf(chunk.anchor), anchorOf(other.anchor)]
  return (
    <li className={`connection${hidden ? ' is-hidden' : ''}`}>
      <p className="connection-reason">
        <strong>{Math.round(connection.score * 100)} %</strong> {connection.reason}
      </p>
      <div className="connection-sides">
        <div>
          <a href={hrefTo(documentRoute(id, { tab: 'text', chunk: chunk.chunk_id, page: anchor.page, span: anchor.span }))}>
            This document{locationText(anchor) ? `, ${locationText(anchor)}` : ''}
          </a>
          <p dir="auto">{withoutHeadings(chunk.text)}</p>
        </div>
        <div>
          <a
            href={hrefTo(
              documentRoute(other.document_id, { chunk: other.chunk_id, page: otherAnchor.page, span: otherAnchor.span }),
            )}
          >
            {other.document_name ?? 'Another document'}
            {locationText(otherAnchor) ? `, ${locationText(otherAnchor)}` : ''}
          </a>
          <p dir="auto">{withoutHeadings(other.text)}</p>
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
