// The mail or archive that contains a document, and the attachments or files inside it.
import { useQuery } from '@tanstack/react-query'
import { linksQuery } from '../api/queries'
import { documentRoute, hrefTo } from '../route'
import { labelOf } from '../words/status-message'

type Link = { id: string; name: string; status: string; path: string }

export function Links({ id }: { id: string }) {
  const { data: links } = useQuery(linksQuery(id))
  if (!links || (links.parents.length === 0 && links.children.length === 0)) return null
  return (
    <div className="document-links small">
      <LinkList label="Contained in" links={links.parents} nameOf={(link) => link.name} />
      <LinkList label="Contains" links={links.children} nameOf={(link) => link.path} />
    </div>
  )
}

function LinkList({ label, links, nameOf }: { label: string; links: Link[]; nameOf: (link: Link) => string }) {
  if (links.length === 0) return null
  return (
    <p>
      <span className="quiet">{label}:</span>{' '}
      {links.map((link, index) => (
        <span key={link.id}>
          {index > 0 && ', '}
          <a href={hrefTo(documentRoute(link.id))}>
            <bdi>{nameOf(link)}</bdi>
          </a>
          {link.status !== 'COMPLETED' && <span className="quiet"> ({labelOf(link.status)[1]})</span>}
        </span>
      ))}
    </p>
  )
}
