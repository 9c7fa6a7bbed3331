// Filters of the search: kind, language, media type, year, collection and tag, each with the number of documents found.
import type { View } from '../api/client'
import { navigate, type SearchRoute } from '../route'
import { languageName, typeChoices } from '../words/format'

type Facets = View<'FacetsView'>
type Choice = [value: string, label: string]

const KINDS: Record<string, string> = { document: 'Documents', call: 'Calls' }

const FILTERS: [name: 'kind' | 'language' | 'type' | 'year' | 'collection' | 'tag', facet: keyof Facets, label: string, all: string][] = [
  ['kind', 'kinds', 'Kind', 'All kinds'],
  ['language', 'languages', 'Language', 'All languages'],
  ['type', 'media_types', 'File type', 'All file types'],
  ['year', 'years', 'Year', 'All years'],
  ['collection', 'collections', 'Collection', 'All collections'],
  ['tag', 'tags', 'Tag', 'All tags'],
]

/** The values of a filter: those of the documents found, and the chosen one. */
export function choices(name: string, counts: Record<string, number> | undefined, chosen: string | null): Choice[] {
  if (name === 'type') {
    return typeChoices(counts ?? {}, chosen).map(({ value, name: type, amount }) => [value, type + (amount ? ` (${amount})` : '')])
  }
  const known = name === 'kind' ? { document: undefined, call: undefined } : {}
  const all: Record<string, number | undefined> = { ...known, ...counts }
  if (chosen !== null && !(chosen in all)) all[chosen] = undefined
  return Object.entries(all).map(([value, count]) => [value, label(name, value) + (count ? ` (${count})` : '')])
}

function label(name: string, value: string): string {
  if (name === 'kind') return KINDS[value] ?? value
  return name === 'language' ? languageName(value) : value
}

export function FacetFilters({ route, facets }: { route: SearchRoute; facets: Facets | null }) {
  return FILTERS.map(([name, facet, title, all]) => {
    const values = choices(name, facets?.[facet], route[name] ?? null)
    const few = name === 'collection' || name === 'tag' ? 1 : 2
    if (name !== 'kind' && values.length < few && !route[name]) return null
    return (
      <select
        key={name}
        className="select"
        aria-label={title}
        value={route[name] ?? ''}
        onChange={(event) => navigate({ ...route, [name]: event.target.value || null })}
      >
        <option value="">{all}</option>
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )
  })
}
