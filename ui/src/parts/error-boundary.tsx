// Shows an error in place of a view that threw one.
import { Component, type ReactNode } from 'react'
import { Empty } from './notices'

export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Empty icon="warning" title="This view failed" alone>
        <p>Your data is not affected. Reload the page.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </Empty>
    )
  }
}
