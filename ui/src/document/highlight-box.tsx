// The box around a chunk on a page or image; its edges are shares of the width and height.
import type { Box } from '../api/anchor'

export function HighlightBox({ box }: { box: Box }) {
  const share = (value: number) => `${(value * 100).toFixed(3)}%`
  return (
    <div
      className="highlight-box"
      data-testid="highlight-box"
      style={{ left: share(box.x0), top: share(box.y0), width: share(box.x1 - box.x0), height: share(box.y1 - box.y0) }}
    />
  )
}
