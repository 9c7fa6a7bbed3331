// One result: the document, the place, the passage, how it was found, and the other passages of its document.
import { anchorOf } from '../api/anchor'
import { rememberOpened } from '../parts/opened'
import { pageText } from '../reading/pages'
import { documentRoute, hrefTo, type SearchRoute } from '../route'
import { timecode } from '../words/format'
import type { Hit } from './results'
import { Snippet } from './snippet'

export const MATCHED_BY: Record<Hit['matched_by'], string> = {
  words: 'exact words',
  meaning: 'similar meaning',
  both: 'exact words and similar meaning',
}

export function HitCard({ hit, route }: { hit: Hit; route: SearchRoute }) {
  const anchor = anchorOf(hit.anchor)
  const location = [
    pageText(anchor.page, anchor.unit),
    anchor.speaker,
    anchor.seconds && timecode(anchor.seconds[0]),
    anchor.headings.length ? anchor.headings.join(' › ') : null,
  ].filter(Boolean)
  return (
    <li className="hit">
      <a
        className="hit-link"
        href={hrefTo(hitRoute(hit))}
        dir="auto"
        data-chunk={hit.chunk_id}
        onClick={() => rememberOpened(hrefTo(route), hit.chunk_id)}
      >
        {hit.document_name}
      </a>
      {location.length > 0 && <span className="hit-where">{location.join(' · ')}</span>}
      <Snippet text={hit.snippet} highlights={hit.highlights} />
      <p className="small hit-how">
        {MATCHED_BY[hit.matched_by]}
        {hit.more_in_document > 0 && (
          <a className="hit-more" href={hrefTo({ ...route, document: hit.document_id })}>
            {hit.more_in_document} more in this document
          </a>
        )}
      </p>
    </li>
  )
}

export function hitRoute(hit: Hit) {
  const { page } = anchorOf(hit.anchor)
  return documentRoute(hit.document_id, { chunk: hit.chunk_id, ordinal: hit.ordinal, page })
}
