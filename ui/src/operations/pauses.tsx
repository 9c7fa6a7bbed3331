// Stages and providers that a person paused, with buttons to pause and resume.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap, type View } from '../api/client'
import { errorText } from '../api/problem'
import { announce } from '../parts/announce'
import { Notice } from '../parts/notices'
import { ago } from '../words/format'
import LABELS from '../words/stage-labels.json'
import { stageLabel } from '../words/stages'

type Overview = View<'OperationsView'>
type Pause = Overview['pauses'][number]
type Target = Pick<Pause, 'kind' | 'name'>

export function Pauses({ pauses, providers, now }: Pick<Overview, 'pauses' | 'providers'> & { now: number }) {
  const client = useQueryClient()
  const targets = targetsOf(providers, pauses)
  const [chosen, setChosen] = useState('')
  const target = targets.find((item) => keyOf(item) === chosen) ?? targets[0]
  const change = async (action: () => Promise<unknown>, done: string) => {
    try {
      await action()
      announce(done)
    } catch (error) {
      announce(errorText(error))
    }
    await client.invalidateQueries({ queryKey: ['operations'] })
  }
  const pause = (item: Target) =>
    change(() => unwrap(api.POST('/pauses', { body: item })), `${nameOf(item)} is paused. Running jobs end.`)
  const resume = (item: Target) =>
    change(() => api.DELETE('/pauses/{kind}/{name}', { params: { path: item } }), `${nameOf(item)} is resumed.`)
  return (
    <section aria-labelledby="pauses">
      <h2 id="pauses">Pauses</h2>
      {pauses.map((item) => (
        <Notice key={keyOf(item)} tone="waiting">
          <p>
            {nameOf(item)} is paused, {ago(item.paused_at, now)}
            {item.paused_by && `, by ${item.paused_by}`}.{' '}
            <button type="button" className="button" onClick={() => void resume(item)}>
              Resume {nameOf(item)}
            </button>
          </p>
        </Notice>
      ))}
      {target && (
        <form
          className="inline-form"
          onSubmit={(event) => {
            event.preventDefault()
            void pause({ kind: target.kind, name: target.name })
          }}
        >
          <select className="select" aria-label="Stage or provider" value={keyOf(target)} onChange={(event) => setChosen(event.target.value)}>
            {targets.map((item) => (
              <option key={keyOf(item)} value={keyOf(item)}>
                {nameOf(item)}
              </option>
            ))}
          </select>
          <button type="submit" className="button">
            Pause
          </button>
        </form>
      )}
    </section>
  )
}

/** What can be paused: every stage, and the providers that were called, without those that are paused. */
function targetsOf(providers: Overview['providers'], pauses: readonly Pause[]): Target[] {
  const paused = new Set(pauses.map(keyOf))
  const names = [...new Set(providers.map(({ provider }) => provider))].filter((name) => name !== 'local')
  const all: Target[] = [
    ...Object.keys(LABELS).map((name) => ({ kind: 'stage' as const, name })),
    ...names.map((name) => ({ kind: 'provider' as const, name })),
  ]
  return all.filter((item) => !paused.has(keyOf(item)))
}

function keyOf({ kind, name }: Target): string {
  return `${kind}/${name}`
}

function nameOf({ kind, name }: Target): string {
  return kind === 'stage' ? `Stage ${stageLabel(name)}` : `Provider ${name}`
}
