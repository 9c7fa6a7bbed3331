// The documents that are asked: all of them, those that meet conditions, or one. Each condition can be removed.
import { useQuery } from '@tanstack/react-query'
import { documentQuery } from '../api/queries'
import { facetsQuery, NO_FILTERS } from '../library/filter'
import { Icon } from '../parts/icon'
import { type AskRoute, replaceRoute } from '../route'
import { fileKind, languageName } from '../words/format'

type Condition = Exclude<keyof AskRoute, 'view' | 'q'>

/** The conditions as text; the name of a document is fetched. */
const TEXTS: [Condition, (value: string) => string][] = [
  ['kind', (value) => (value === 'call' ? 'Calls' : 'Documents')],
  ['collection', (value) => value],
  ['tag', (value) => value],
  ['language', languageName],
  ['type', (value) => fileKind(value.split(',')[0]!, '')],
]

export function AskScope({ route }: { route: AskRoute }) {
  const { data: facets } = useQuery(facetsQuery(NO_FILTERS))
  const collections = Object.keys(facets?.collections ?? {}).filter(Boolean)
  const change = (name: Condition, value: string | null) => replaceRoute({ ...route, [name]: value })
  return (
    <div className="ask-scope" role="group" aria-label="Documents that are asked">
      {route.document ? (
        <ScopePill label={<DocumentName id={route.document} />} onRemove={() => change('document', null)} />
      ) : (
        collections.length > 0 &&
        !route.collection && (
          <select
            className="select"
            aria-label="Collection that is asked"
            value=""
            onChange={(event) => change('collection', event.target.value || null)}
          >
            <option value="">All collections</option>
            {collections.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )
      )}
      {TEXTS.map(([name, text]) => {
        const value = route[name]
        return value ? <ScopePill key={name} label={text(value)} onRemove={() => change(name, null)} /> : null
      })}
    </div>
  )
}

function ScopePill({ label, onRemove }: { label: React.ReactNode; onRemove: () => void }) {
  return (
    <button type="button" className="pill inside" aria-pressed title="Remove this condition" onClick={onRemove}>
      Only in <bdi>{label}</bdi> <Icon name="close" />
    </button>
  )
}

function DocumentName({ id }: { id: string }) {
  const { data } = useQuery(documentQuery(id))
  return data?.name ?? 'one document'
}
