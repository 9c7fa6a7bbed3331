// The library: the list of documents with filters and actions.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { type Filters, libraryRoute, navigate } from '../route'
import { UploadButton } from '../uploads/upload-button'
import { count } from '../words/format'
import { BulkBar } from './bulk'
import { FilterBar } from './filters'
import { Grid } from './grid'
import { listQuery } from './list'
import { emptySelection, prune, type Selection } from './selection'

export function Library({ status, kind, q }: Filters) {
  const client = useQueryClient()
  const filters = useMemo(() => ({ status, kind, q }), [status, kind, q])
  const { data: list, error } = useQuery({ ...listQuery(client, filters), placeholderData: keepPreviousData })
  const [selection, setSelection] = useState<Selection>(emptySelection)
  const currentSelection = useMemo(
    () =>
      prune(
        selection,
        (list?.documents ?? []).map((document) => document.id),
      ),
    [selection, list],
  )
  const selected = (list?.documents ?? []).filter((document) => currentSelection.ids.has(document.id))
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
          <ErrorNotice error={error} />
        </div>
      ) : !list ? (
        <Loading what="Loading the library" />
      ) : list.documents.length ? (
        <Grid
          key={`${status}/${kind}/${q}`}
          list={list}
          filters={filters}
          selection={currentSelection}
          onSelect={setSelection}
        />
      ) : filtered ? (
        <Empty icon="search" title="No matches">
          <p>No document matches these filters.</p>
          <button type="button" className="button" onClick={() => navigate(libraryRoute)}>
            Clear filters
          </button>
        </Empty>
      ) : (
        <Welcome />
      )}
      {selected.length > 0 && <BulkBar selected={selected} onDone={() => setSelection(emptySelection)} />}
    </div>
  )
}

function Welcome() {
  return (
    <Empty icon="upload" title="Drop files here to upload them">
      <p>
        PDF, Word, Excel, PowerPoint, EPUB, mail, web pages, scans, images and recordings. Each file is read or transcribed,
        split into chunks and made searchable. Interrupted processing resumes from the last completed stage.
      </p>
      <UploadButton label="Choose files" />
    </Empty>
  )
}
