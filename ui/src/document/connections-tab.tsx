// Connections of a document: one card per other document with its versions and connected passages.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf, locationText } from '../api/anchor'
import { announce } from '../parts/announce'
import { errorText } from '../api/problem'
import { Passage } from '../markdown/passage'
import { Icon } from '../parts/icon'
import { Empty } from '../parts/notices'
import { useUnit } from '../reading/pages'
import { documentRoute, hrefTo } from '../route'
import { count } from '../words/format'
import {
  type Connection,
  type ConnectionGroup,
  groupConnections,
  KIND_LABELS,
  type Kind,
  KINDS,
  markConnection,
  reasonText,
  withoutHeadings,
} from './connections'

interface Props {
  id: string
  connections: readonly Connection[]
  /** Whether the connect stage is still to come or running. */
  pending: boolean
  more: (() => void) | null
}

export function Connections({ id, connections, pending, more }: Props) {
  const [withHidden, setWithHidden] = useState(false)
  const [kind, setKind] = useState<Kind | null>(null)
  const hidden = connections.filter(({ hidden: isHidden }) => isHidden).length
  const groups = groupConnections(connections, { withHidden, kind })
  return (
    <>
      {connections.length > 0 && <KindFilter connections={connections} kind={kind} onChange={setKind} />}
      {groups.length ? (
        <ul className="connections">
          {groups.map((group) => (
            <ConnectionCard key={group.documentId} id={id} group={group} />
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

interface KindFilterProps {
  connections: readonly Connection[]
  kind: Kind | null
  onChange: (kind: Kind | null) => void
}

function KindFilter({ connections, kind, onChange }: KindFilterProps) {
  return (
    <div className="connection-filter">
      <select
        className="select"
        aria-label="Kind of connection"
        value={kind ?? ''}
        onChange={(event) => onChange((event.target.value || null) as Kind | null)}
      >
        <option value="">All kinds</option>
        {KINDS.map((value) => (
          <option key={value} value={value}>
            {KIND_LABELS[value]} ({connections.filter((connection) => connection.kind === value).length})
          </option>
        ))}
      </select>
    </div>
  )
}

function ConnectionCard({ id, group }: { id: string; group: ConnectionGroup }) {
  return (
    <li className="connection-card">
      <h2 className="connection-document">
        <a href={hrefTo(documentRoute(group.documentId, {}))}>{group.name ?? 'Another document'}</a>
      </h2>
      <ul>
        {group.connections.map((connection) => (
          <ConnectionItem key={connection.id} id={id} connection={connection} />
        ))}
      </ul>
    </li>
  )
}

function ConnectionItem({ id, connection }: { id: string; connection: Connection }) {
  const unit = useUnit(id)
  const client = useQueryClient()
  const { this: chunk, other, pinned, hidden } = connection
  const change = (marks: { pinned?: boolean; hidden?: boolean }) =>
    void markConnection(client, id, connection, marks).catch((error: unknown) => announce(errorText(error)))
  const [anchor, otherAnchor] = [anchorOf(chunk.anchor), anchorOf(other.anchor)]
  const percent = `${Math.round(connection.score * 100)} %`
  return (
    <li className={`connection${hidden ? ' is-hidden' : ''}`}>
      {connection.kind === 'edition' ? (
        <p className="connection-reason">
          <strong>{percent}</strong> of the text is in both documents: an edition of this document
        </p>
      ) : (
        <>
          <p className="connection-reason">
            <strong>{percent}</strong> {reasonText(connection)}
          </p>
          <div className="connection-sides">
            <div>
              <a href={hrefTo(documentRoute(id, { tab: 'text', chunk: chunk.chunk_id, page: anchor.page, span: anchor.span }))}>
                This document{locationText(anchor, unit) ? `, ${locationText(anchor, unit)}` : ''}
              </a>
              <Passage className="connection-text" text={withoutHeadings(chunk.text)} />
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
              <Passage className="connection-text" text={withoutHeadings(other.text)} />
            </div>
          </div>
        </>
      )}
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
