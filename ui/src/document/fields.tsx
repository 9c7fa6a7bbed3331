// Fields extracted from the document, each with a link to its position in the text.
import { useQuery } from '@tanstack/react-query'
import { anchorOf, locationText } from '../api/anchor'
import { fieldsQuery } from '../api/queries'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { documentRoute, hrefTo } from '../route'
import { label } from '../words/format'

export function Fields({ id }: { id: string }) {
  const { data: fields, error } = useQuery(fieldsQuery(id))
  if (error) return <ErrorNotice error={error} />
  if (!fields) return <Loading what="Loading the fields" />
  if (!fields.length) {
    return (
      <Empty icon="tag" title="No fields">
        <p>Dates, amounts, contacts and identifiers found in the document are listed here.</p>
      </Empty>
    )
  }
  return (
    <dl className="fields">
      {fields.map((field, index) => {
        const anchor = anchorOf(field.anchor)
        const where = locationText(anchor)
        const located = anchor.span !== null || anchor.page !== null
        return (
          <div key={index} className={repeats(fields, index) ? 'field-row more' : 'field-row'}>
            <dt>{repeats(fields, index) ? <span className="hidden">{label(field.name)}</span> : label(field.name)}</dt>
            <dd>
              <span className="field-value" dir="auto">
                {located ? (
                  <a href={hrefTo(documentRoute(id, { tab: 'text', page: anchor.page, span: anchor.span }))}>
                    {field.value}
                  </a>
                ) : (
                  field.value
                )}
              </span>
              <span className="quiet small">
                {[where, confidenceText(field.confidence)].filter(Boolean).join(' · ')}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Whether a field has the same name as the one before; the name is then shown once. */
function repeats(fields: readonly { name: string }[], index: number): boolean {
  return index > 0 && fields[index]!.name === fields[index - 1]!.name
}

/** `confidence 98 %`; null from 99.5 % on. */
export function confidenceText(confidence: number): string | null {
  return confidence >= 0.995 ? null : `confidence ${Math.round(confidence * 100)} %`
}
