import { afterEach, expect, test, vi } from 'vitest'
import { connection, startHealthChecks } from './connection'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('an idle page notices an unreachable server; a hidden page does not check', async () => {
  vi.useFakeTimers()
  const page = { hidden: true }
  const fetch = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')))
  vi.stubGlobal('document', page)
  vi.stubGlobal('fetch', fetch)
  startHealthChecks()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(fetch).not.toHaveBeenCalled()
  page.hidden = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(connection.get().state).toBe('offline')
  fetch.mockImplementation(() => Promise.resolve({ ok: true }) as never)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(connection.get().state).toBe('online')
})
