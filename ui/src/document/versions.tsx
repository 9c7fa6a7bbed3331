// The versions of a document, newest first, and the difference of the texts of two of them.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { downloadFrom, versionUrl } from '../api/original'
import { errorText } from '../api/problem'
import type { Status } from '../api/status'
import { type Version, versionsQuery } from '../api/versions'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { Badge, ErrorNotice, Loading } from '../parts/notices'
import { bytes, count, dateTime } from '../words/format'
import { labelOf } from '../words/status-message'
import { Diff } from './diff'

export function Versions({ id, status }: { id: string; status: Status | undefined }) {
  const versions = useQuery(versionsQuery(id))
  const { refetch } = versions
  // The status is polled; the versions are fetched again when it changes.
  useEffect(() => {
    if (status) void refetch()
  }, [status?.status, status?.run?.id, refetch])
  if (versions.error) return <ErrorNotice error={versions.error} />
  if (!versions.data) return <Loading what="Loading the versions" />
  return (
    <div className="versions">
      <ol reversed className="version-list" aria-label="Versions, newest first">
        {versions.data.map((version) => (
          <VersionRow key={version.number} id={id} version={version} />
        ))}
      </ol>
      <Comparison id={id} versions={versions.data} />
    </div>
  )
}

function VersionRow({ id, version }: { id: string; version: Version }) {
  const [tone, label] = version.current && version.status === 'COMPLETED' ? ['good', 'Shown'] as const : labelOf(version.status)
  return (
    <li className="version">
      <span className="version-name" dir="auto">
        <strong>Version {version.number}</strong> {version.name}
      </span>
      <Badge tone={tone}>{label}</Badge>
      <span className="quiet small">
        {dateTime(version.created_at)} · {bytes(version.size)}
        {changeText(version) && ` · ${changeText(version)}`}
      </span>
      {version.has_original && (
        <button
          type="button"
          className="button plain icon-only"
          aria-label={`Download version ${version.number}`}
          title={`Download version ${version.number}`}
          onClick={() => {
            downloadFrom(versionUrl(id, version.number), version.name).catch((error: unknown) => announce(errorText(error)))
          }}
        >
          <Icon name="download" />
        </button>
      )}
    </li>
  )
}

/** What the version changed: `2 chunks added, 1 removed, 40 unchanged`. Empty if it was never published. */
export function changeText({ number, chunks_added: added, chunks_removed: removed, chunks_kept: kept }: Version): string {
  if (added === null) return ''
  if (number === 1) return count(added, 'chunk')
  if (!added && !removed) return 'the same text'
  return [added && `${count(added, 'chunk')} added`, removed && `${count(removed, 'chunk')} removed`, kept && `${kept} unchanged`]
    .filter(Boolean)
    .join(', ')
}

function Comparison({ id, versions }: { id: string; versions: readonly Version[] }) {
  const readable = versions.filter((version) => version.has_text)
  const [chosen, setChosen] = useState<{ from: number; to: number } | null>(null)
  const [to, from] = readable
  if (!to || !from) return null
  // The newest two until others are chosen.
  const pair = chosen ?? { from: from.number, to: to.number }
  return (
    <section className="comparison" aria-label="Comparison of two versions">
      <div className="comparison-choice">
        <NumberSelect label="Compare version" versions={readable} value={pair.from} onChange={(number) => setChosen({ ...pair, from: number })} />
        <NumberSelect label="with version" versions={readable} value={pair.to} onChange={(number) => setChosen({ ...pair, to: number })} />
      </div>
      <Diff id={id} from={pair.from} to={pair.to} />
    </section>
  )
}

interface SelectProps {
  label: string
  versions: readonly Version[]
  value: number
  onChange: (number: number) => void
}

function NumberSelect({ label, versions, value, onChange }: SelectProps) {
  return (
    <label>
      {label}{' '}
      <select className="select" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {versions.map(({ number }) => (
          <option key={number} value={number}>
            {number}
          </option>
        ))}
      </select>
    </label>
  )
}
