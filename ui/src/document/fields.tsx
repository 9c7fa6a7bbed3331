// Named values found in the document, each leading to the place that proves it.
import { useQuery } from '@tanstack/react-query'
import { anchorOf, whereabouts } from '../api/anchor'
import { fieldsQuery } from '../api/queries'
import { Empty, Loading, Trouble } from '../parts/pieces'
import { documentPlace, hrefTo } from '../route'
import { label } from '../words/format'

export function Fields({ id }: { id: string }) {
  const { data: fields, error } = useQuery(fieldsQuery(id))
  if (error) return <Trouble error={error} />
  if (!fields) return <Loading what="Fetching the fields" />
  if (!fields.length) {
    return (
      <Empty icon="tag" title="No fields">
        <p>Dates, amounts, names and numbers that are found in the document stand here with their place.</p>
      </Empty>
    )
  }
  return (
    <dl className="fields">
      {fields.map((field, index) => {
        const anchor = anchorOf(field.anchor)
        const where = whereabouts(anchor)
        const proven = anchor.span !== null || anchor.page !== null
        return (
          <div key={index} className={repeats(fields, index) ? 'found more' : 'found'}>
            <dt>{repeats(fields, index) ? <span className="hidden">{label(field.name)}</span> : label(field.name)}</dt>
            <dd>
              <span className="found-value" dir="auto">
                {proven ? (
                  <a href={hrefTo(documentPlace(id, { tab: 'reading', page: anchor.page, span: anchor.span }))}>
                    {field.value}
                  </a>
                ) : (
                  field.value
                )}
              </span>
              <span className="quiet small">
                {[where, sure(field.confidence)].filter(Boolean).join(' · ')}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Several values of one name share it. */
function repeats(fields: readonly { name: string }[], index: number): boolean {
  return index > 0 && fields[index]!.name === fields[index - 1]!.name
}

/** Certainty is only worth saying when there is doubt. */
export function sure(confidence: number): string | null {
  return confidence >= 0.995 ? null : `${Math.round(confidence * 100)} % sure`
}
