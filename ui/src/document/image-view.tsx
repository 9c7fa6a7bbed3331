// The original of an image document, with the box of the linked chunk.
import type { Box } from '../api/anchor'
import { useOriginal } from '../api/original'
import { Loading, ErrorNotice } from '../parts/notices'
import { HighlightBox } from './highlight-box'

export function ImageView({ id, name, box }: { id: string; name: string; box: Box | null }) {
  const { source, error } = useOriginal(id)
  if (error) return <ErrorNotice error={error} />
  if (!source) return <Loading what="Loading the image" />
  return (
    <div className="image-view" tabIndex={0} role="region" aria-label="Image">
      <div>
        <img src={source} alt={name} />
        {box && <HighlightBox box={box} />}
      </div>
    </div>
  )
}
