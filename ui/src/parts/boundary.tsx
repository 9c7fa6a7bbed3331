// When a view breaks, the rest of the page stays and says so.
import { Component, type ReactNode } from 'react'
import { Empty } from './pieces'

export class Boundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <Empty icon="warning" title="This view broke" alone>
        <p>Nothing on the server is affected. Reloading the page usually helps.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </Empty>
    )
  }
}
