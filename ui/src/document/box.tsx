// The frame around a passage on a page or picture; edges are shares of its width and height.
import type { Box } from '../api/anchor'

export function BoxMark({ box }: { box: Box }) {
  const share = (value: number) => `${(value * 100).toFixed(3)}%`
  return (
    <div
      className="box"
      data-testid="passage-box"
      style={{ left: share(box.x0), top: share(box.y0), width: share(box.x1 - box.x0), height: share(box.y1 - box.y0) }}
    />
  )
}
