// Documents that are failed now, grouped by stage and error, each with a link.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap, type View } from '../api/client'
import { errorText } from '../api/problem'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { documentRoute, hrefTo } from '../route'
import { count, number } from '../words/format'
import { stageLabel } from '../words/stages'
import { Table } from './table'

type FailureGroup = View<'OperationsView'>['failures'][number]

export function Failures({ failures }: { failures: readonly FailureGroup[] }) {
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      {failures.length ? (
        <Table head={['Stage', 'Error', 'Documents', '']}>
          {failures.map((failure) => (
            <Failure key={`${failure.stage}/${failure.error}`} failure={failure} />
          ))}
        </Table>
      ) : (
        <p className="quiet">No failures.</p>
      )}
    </section>
  )
}

/** What a retry of `asked` documents did. */
export function retryText(resumed: number, asked: number): string {
  const left = asked - resumed
  if (!resumed) {
    return asked === 1
      ? 'Nothing was resumed: the document has a newer run or was deleted.'
      : 'Nothing was resumed: the documents have newer runs or were deleted.'
  }
  const done = `${count(resumed, 'document')} resumed.`
  if (left <= 0) return done
  return `${done} ${number(left)} ${left === 1 ? 'was' : 'were'} not: ${left === 1 ? 'it has' : 'they have'} a newer run or ${left === 1 ? 'was' : 'were'} deleted.`
}

function Failure({ failure }: { failure: FailureGroup }) {
  return (
    <tr>
      <th scope="row">{stageLabel(failure.stage)}</th>
      <td className="failure-text">{failure.error}</td>
      <td className="failure-documents">
        <details open={failure.jobs === 1}>
          <summary>{count(failure.jobs, 'document')}</summary>
          <ul>
            {failure.documents.map((document) => (
              <li key={document.document_id}>
                <a href={hrefTo(documentRoute(document.document_id))} dir="auto">
                  {document.name}
                </a>
              </li>
            ))}
            {failure.jobs > failure.documents.length && <li>{number(failure.jobs - failure.documents.length)} more</li>}
          </ul>
        </details>
      </td>
      <td className="align-right">
        {failure.can_retry ? <RetryButton failure={failure} /> : <span className="quiet">Retrying won’t help</span>}
      </td>
    </tr>
  )
}

function RetryButton({ failure }: { failure: FailureGroup }) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const label = failure.jobs > 1 ? 'Retry all' : 'Retry'
  const retry = async () => {
    setBusy(true)
    try {
      const { run_ids } = await unwrap(api.POST('/jobs/retry', { body: { job_ids: failure.job_ids } }))
      announce(retryText(run_ids.length, failure.job_ids.length))
      await client.invalidateQueries({ queryKey: ['operations'] })
      void client.invalidateQueries({ queryKey: ['documents'] })
    } catch (error) {
      announce(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      className="button"
      disabled={busy}
      aria-label={`${label}: ${count(failure.jobs, 'document')}, ${failure.error}`}
      onClick={() => void retry()}
    >
      <Icon name="retry" />
      {label}
    </button>
  )
}
