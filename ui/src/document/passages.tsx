// The document as search knows it: passage by passage.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf } from '../api/anchor'
import { chunksQuery } from '../api/queries'
import { Empty, Loading, Trouble } from '../parts/pieces'
import { documentPlace, hrefTo } from '../route'
import { count, number, timecode } from '../words/format'

const AT_ONCE = 60

export function Passages({ id, current }: { id: string; current: string | null }) {
  const { data: chunks, error } = useQuery(chunksQuery(id))
  const [shown, setShown] = useState(AT_ONCE)
  if (error) return <Trouble error={error} />
  if (!chunks) return <Loading what="Fetching the passages" />
  if (!chunks.length) {
    return (
      <Empty icon="document" title="No passages yet">
        <p>Passages appear when the document is published.</p>
      </Empty>
    )
  }
  return (
    <>
      <ol className="passages">
        {chunks.slice(0, shown).map((chunk) => {
          const anchor = anchorOf(chunk.anchor)
          const place = documentPlace(id, { tab: 'reading', chunk: chunk.id, ordinal: chunk.ordinal, page: anchor.page })
          return (
            <li key={chunk.id} className={chunk.id === current ? 'passage current' : 'passage'}>
              <div className="passage-head">
                <a href={hrefTo(place)}>Passage {number(chunk.ordinal + 1)}</a>
                <span className="quiet small">
                  {[
                    anchor.page === null ? null : `page ${anchor.page}`,
                    anchor.speaker,
                    anchor.seconds && timecode(anchor.seconds[0]),
                    count(chunk.tokens, 'token'),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </div>
              {anchor.headings.length > 0 && <p className="passage-path">{anchor.headings.join(' › ')}</p>}
              <p className="passage-text" dir="auto">
                {chunk.text}
              </p>
            </li>
          )
        })}
      </ol>
      {shown < chunks.length && (
        <button type="button" className="button" onClick={() => setShown(shown + AT_ONCE * 4)}>
          Show more of {number(chunks.length)} passages
        </button>
      )}
    </>
  )
}
