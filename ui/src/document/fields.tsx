// Fields extracted from the document, each with a link to its position in the text.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { anchorOf, locationText } from '../api/anchor'
import { fieldsQuery } from '../api/queries'
import type { components } from '../api/schema'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { useUnit } from '../reading/pages'
import { documentRoute, hrefTo } from '../route'
import { byText, dateTime, label, languageName } from '../words/format'
import { FieldEditor } from './field-editor'

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
    <div className="field-groups">
      {GROUPS.map((group) => {
        const members = fields.filter((field) => field.schema == null && field.group === group)
        if (!members.length) return null
        return group === 'links' ? (
          <details key={group} className="field-group">
            <summary>Links ({members.length})</summary>
            <FieldList id={id} fields={members} />
          </details>
        ) : (
          <section key={group} className="field-group">
            <h2>{GROUP_TITLES[group]}</h2>
            <FieldList id={id} fields={members} />
          </section>
        )
      })}
      {schemasOf(fields).map((schema) => (
        <section key={schema} className="field-group">
          <h2>{label(schema)}</h2>
          <FieldList id={id} fields={fields.filter((field) => field.schema === schema)} />
        </section>
      ))}
    </div>
  )
}

/** The names of the field schemas whose values the document has, in their order. */
export function schemasOf(fields: readonly { schema?: string | null }[]): string[] {
  return [...new Set(fields.flatMap((field) => field.schema ?? []))]
}

type FieldView = components['schemas']['FieldView']

const GROUPS = ['document', 'money', 'dates', 'identifiers', 'contact', 'other', 'links'] as const
const GROUP_TITLES = {
  document: 'Document',
  money: 'Money',
  dates: 'Dates',
  identifiers: 'Identifiers',
  contact: 'Contact',
  other: 'Other',
}

function FieldList({ id, fields }: { id: string; fields: readonly FieldView[] }) {
  const unit = useUnit(id)
  const [editing, setEditing] = useState<FieldView | null>(null)
  return (
    <dl className="fields">
      {fields.map((field, index) => {
        const anchor = anchorOf(field.anchor)
        const where = locationText(anchor, unit)
        const located = anchor.span !== null || anchor.page !== null
        return (
          <div key={index} className={repeats(fields, index) ? 'field-row more' : 'field-row'}>
            <dt>{repeats(fields, index) ? <span className="hidden">{nameText(field.name)}</span> : nameText(field.name)}</dt>
            <dd>
              {isSame(editing, field) ? (
                <FieldEditor id={id} field={field} onClose={() => setEditing(null)} />
              ) : (
                <button
                  type="button"
                  className="button plain field-edit"
                  aria-label={`Edit ${label(field.name)}: ${field.value}`}
                  onClick={() => setEditing(field)}
                >
                  Edit
                </button>
              )}
              <span className="field-value" dir="auto">
                {located ? (
                  <a href={hrefTo(documentRoute(id, { tab: 'text', page: anchor.page, span: anchor.span }))}>
                    {valueText(field)}
                  </a>
                ) : (
                  valueText(field)
                )}
              </span>
              {field.verified === false && <span className="badge waiting">unverified</span>}
              <span className="quiet small">
                {[where, field.edited_at ? editedText(field) : checkText(field)].filter(Boolean).join(' · ')}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** The value for people: a moment in the time zone of the browser, a language by its name. Edits show what is stored. */
export function valueText({ name, value }: Pick<FieldView, 'name' | 'value'>): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value)) return dateTime(value)
  return name === 'language' ? languageName(value) : value
}

/** The list is fetched again after an edit, so fields are compared by their name and number. */
function isSame(editing: FieldView | null, field: FieldView): boolean {
  return editing !== null && editing.name === field.name && editing.ordinal === field.ordinal
}

/** Who gave the value, when, and what was extracted. */
export function editedText({ edited_by, edited_at, extracted_value }: FieldView): string {
  const by = byText('edited', edited_by, edited_at)
  return extracted_value ? `${by}; extracted: ${extracted_value}` : `added, ${by}`
}

/** `Line items 1 · amount` for `line_items[0].amount`. */
export function nameText(name: string): string {
  return label(name.replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`).replace(/\./g, ' · '))
}

/** Whether a field has the same name as the one before; the name is then shown once. */
function repeats(fields: readonly { name: string }[], index: number): boolean {
  return index > 0 && fields[index]!.name === fields[index - 1]!.name
}

/** How sure a value is: by its quotation if a model found it, else by its confidence. */
export function checkText(field: { confidence: number; schema?: string | null; verified?: boolean | null }): string | null {
  if (field.schema == null) return confidenceText(field.confidence)
  return field.verified ? null : 'its quotation is not in the text'
}

/** `confidence 98 %`; null from 99.5 % on. */
export function confidenceText(confidence: number): string | null {
  return confidence >= 0.995 ? null : `confidence ${Math.round(confidence * 100)} %`
}
