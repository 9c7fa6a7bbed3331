// The chunks of a document, as they are indexed for search.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf } from '../api/anchor'
import { chunksQuery } from '../api/queries'
import { Passage } from '../markdown/passage'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { pageText, useUnit } from '../reading/pages'
import { documentRoute, hrefTo } from '../route'
import { count, number, timecode } from '../words/format'

const PAGE_SIZE = 60

export function Chunks({ id, current }: { id: string; current: string | null }) {
  const { data: chunks, error } = useQuery(chunksQuery(id))
  const unit = useUnit(id)
  const [shown, setShown] = useState(PAGE_SIZE)
  if (error) return <ErrorNotice error={error} />
  if (!chunks) return <Loading what="Loading the chunks" />
  if (!chunks.length) {
    return (
      <Empty icon="document" title="No chunks yet">
        <p>Chunks are listed when the document is published.</p>
      </Empty>
    )
  }
  return (
    <>
      <ol className="chunks">
        {chunks.slice(0, shown).map((chunk) => {
          const anchor = anchorOf(chunk.anchor)
          const route = documentRoute(id, { tab: 'text', chunk: chunk.id, ordinal: chunk.ordinal, page: anchor.page })
          return (
            <li key={chunk.id} className={chunk.id === current ? 'chunk current' : 'chunk'}>
              <div className="chunk-head">
                <a href={hrefTo(route)}>Chunk {number(chunk.ordinal + 1)}</a>
                <span className="quiet small">
                  {[
                    pageText(anchor.page, unit),
                    anchor.speaker,
                    anchor.seconds && timecode(anchor.seconds[0]),
                    count(chunk.tokens, 'token'),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </div>
              {anchor.headings.length > 0 && <p className="chunk-path">{anchor.headings.join(' › ')}</p>}
              <Passage className="chunk-text" text={chunk.text} />
            </li>
          )
        })}
      </ol>
      {shown < chunks.length && (
        <button type="button" className="button" onClick={() => setShown(shown + PAGE_SIZE * 4)}>
          Show more of {number(chunks.length)} chunks
        </button>
      )}
    </>
  )
}
