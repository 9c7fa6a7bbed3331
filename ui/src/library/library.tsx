// The library: every document, how far each is, and what can be done about it.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Empty, Loading, Trouble } from '../parts/pieces'
import { type Filters, go, library } from '../route'
import { PickFiles } from '../uploads/pick'
import { count } from '../words/format'
import { BulkBar } from './bulk'
import { FilterBar } from './filters'
import { Grid } from './grid'
import { listQuery } from './list'
import { nothing, pruned, type Selection } from './selection'

export function Library({ status, kind, q }: Filters) {
  const client = useQueryClient()
  const filters = useMemo(() => ({ status, kind, q }), [status, kind, q])
  const { data: list, error } = useQuery({ ...listQuery(client, filters), placeholderData: keepPreviousData })
  const [selected, setSelected] = useState<Selection>(nothing)
  const selection = useMemo(
    () =>
      pruned(
        selected,
        (list?.documents ?? []).map((document) => document.id),
      ),
    [selected, list],
  )
  const chosen = (list?.documents ?? []).filter((document) => selection.ids.has(document.id))
  const filtered = Boolean(status || kind || q)
  return (
    <div className="library">
      <div className="library-head">
        <div className="page-head">
          <h1>Library</h1>
          {list && <span className="quiet">{count(list.total, 'document')}</span>}
        </div>
        <FilterBar filters={filters} />
      </div>
      {error && !list ? (
        <div className="page">
          <Trouble error={error} />
        </div>
      ) : !list ? (
        <Loading what="Opening the library" />
      ) : list.documents.length ? (
        <Grid
          key={`${status}/${kind}/${q}`}
          list={list}
          filters={filters}
          selection={selection}
          onSelect={setSelected}
        />
      ) : filtered ? (
        <Empty icon="search" title="Nothing here">
          <p>No document matches these filters.</p>
          <button type="button" className="button" onClick={() => go(library)}>
            Show everything
          </button>
        </Empty>
      ) : (
        <Welcome />
      )}
      {chosen.length > 0 && <BulkBar chosen={chosen} onDone={() => setSelected(nothing)} />}
    </div>
  )
}

function Welcome() {
  return (
    <Empty icon="upload" title="Drop your first files here">
      <p>
        PDF, Word, Excel, PowerPoint, EPUB, mail, web pages, scans, pictures and recordings. Each is read or heard, cut into
        passages and made searchable; whatever happens on the way, it goes on from the last finished step.
      </p>
      <PickFiles label="Choose files" />
    </Empty>
  )
}
