// A picture beside what was read from it.
import type { Box } from '../api/anchor'
import { useOriginal } from '../api/original'
import { Loading, Trouble } from '../parts/pieces'
import { BoxMark } from './box'

export function Picture({ id, name, box }: { id: string; name: string; box: Box | null }) {
  const { address, error } = useOriginal(id)
  if (error) return <Trouble error={error} />
  if (!address) return <Loading what="Fetching the picture" />
  return (
    <div className="picture" tabIndex={0} role="region" aria-label="Picture">
      <div>
        <img src={address} alt={name} />
        {box && <BoxMark box={box} />}
      </div>
    </div>
  )
}
