import { afterEach, expect, test, vi } from 'vitest'
import { connection, keepListening } from './connection'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a page at rest notices that the server is away, unless nobody looks', async () => {
  vi.useFakeTimers()
  const page = { hidden: true }
  const ask = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')))
  vi.stubGlobal('document', page)
  vi.stubGlobal('fetch', ask)
  keepListening()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).not.toHaveBeenCalled()
  page.hidden = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(connection.get().state).toBe('lost')
  ask.mockImplementation(() => Promise.resolve({ ok: true }) as never)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(connection.get().state).toBe('fine')
})
