// The box with the page of a PDF: its printed number, and going to a page by typing one.
import { useState } from 'react'
import { number } from '../words/format'

/** The number of the page, as printed if that is known. Enter goes to the page that was typed. */
export function PageBox({ current, total, labels, onPage }: { current: number; total: number; labels: string[] | null; onPage: (page: number) => void }) {
  const [draft, setDraft] = useState<string | null>(null)
  const label = labels?.[current - 1] || String(current)
  const go = () => {
    const page = draft === null ? null : pageOfText(draft, total, labels)
    setDraft(null)
    if (page !== null) onPage(page)
  }
  return (
    <>
      <label>
        <span>Page </span>
        <input
          type="text"
          inputMode="numeric"
          aria-label="Page"
          value={draft ?? label}
          onChange={(event) => setDraft(event.target.value)}
          onFocus={(event) => event.target.select()}
          onBlur={() => setDraft(null)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go()
          }}
        />
      </label>
      <span className="quiet">{label === String(current) ? `of ${number(total)}` : `(${number(current)} of ${number(total)})`}</span>
    </>
  )
}

/** The page with this printed number, else with this number. */
export function pageOfText(text: string, total: number, labels: readonly string[] | null): number | null {
  const wanted = text.trim().toLowerCase()
  const printed = labels?.findIndex((label) => label.toLowerCase() === wanted) ?? -1
  if (printed >= 0) return printed + 1
  const page = /^\d+$/.test(wanted) ? Number(wanted) : 0
  return page >= 1 && page <= total ? page : null
}
