// The library: the list of documents with filters and actions.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { type Filters, hrefTo, isFiltered, libraryRoute, navigate, parseRoute } from '../route'
import { UploadButton } from '../uploads/upload-button'
import { count } from '../words/format'
import { BulkBar } from './bulk'
import { FilterBar } from './filters'
import { Grid } from './grid'
import { listQuery } from './list'
import { emptySelection, prune, selectAll, type Selection } from './selection'
import { Working } from './working'

export function Library(given: Filters) {
  const client = useQueryClient()
  const address = hrefTo({ view: 'library', ...given })
  // The same object for the same filters. The address says all of them.
  const filters = useMemo(() => filtersOf(address), [address])
  const { data: list, error } = useQuery({ ...listQuery(client, filters), placeholderData: keepPreviousData })
  const [selection, setSelection] = useState<Selection>(emptySelection)
  // It does not come back with the filters.
  useEffect(() => setSelection((current) => (current.all === address ? current : { ...current, all: null })), [address])
  const currentSelection = useMemo(
    () =>
      prune(
        selection,
        (list?.documents ?? []).map((document) => document.id),
        address,
      ),
    [selection, list, address],
  )
  const selected = (list?.documents ?? []).filter((document) => currentSelection.ids.has(document.id))
  const filtered = isFiltered(filters)
  return (
    <div className="library">
      <div className="library-head">
        <div className="page-head">
          <h1>Library</h1>
          {list && <span className="quiet">{count(list.total, 'document')}</span>}
        </div>
        {!(list?.total === 0 && !filtered) && <FilterBar filters={filters} />}
        <Working />
      </div>
      {error && !list ? (
        <div className="page">
          <ErrorNotice error={error} />
        </div>
      ) : !list ? (
        <Loading what="Loading the library" />
      ) : list.documents.length ? (
        <Grid
          key={address}
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
      {selected.length > 0 && list && (
        <BulkBar
          selected={selected}
          filters={filters}
          total={list.total}
          allMatching={currentSelection.all !== null}
          onSelectAll={() => setSelection(selectAll(currentSelection, address))}
          onDone={() => setSelection(emptySelection)}
        />
      )}
    </div>
  )
}

function filtersOf(address: string): Filters {
  const route = parseRoute(address)
  if (route.view !== 'library') throw new Error('This is no address of the library.')
  const { view: _, ...filters } = route
  return filters
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
