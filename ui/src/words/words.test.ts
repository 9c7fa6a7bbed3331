import { describe, expect, test } from 'vitest'
import type { Status } from '../api/status'
import { happening } from './events'
import { ago, bytes, count, dollars, fileKind, seconds, timecode } from './format'
import { counting } from './stages'
import { storyOf } from './story'

const NOW = Date.parse('2026-03-01T12:00:00Z')

type Stage = Status['stages'][number]

function stage(name: string, status: string, more: Partial<Stage> = {}): Stage {
  return {
    name,
    status,
    attempts: 0,
    crashes: 0,
    seconds: null,
    done: null,
    total: null,
    reused: false,
    calls_made: 0,
    calls_reused: 0,
    cost: 0,
    started_at: null,
    completed_at: null,
    last_heartbeat: null,
    job_id: null,
    ...more,
  }
}

function status(more: Partial<Status> = {}): Status {
  return {
    document_id: 'd',
    status: 'PROCESSING',
    searchable: false,
    run: { id: 'r', state: 'RUNNING', failure_type: null, resumes_run_id: null },
    stage: 'embed',
    stages: [stage('extract', 'COMPLETED', { seconds: 1.5 }), stage('embed', 'PROCESSING', { done: 76, total: 406 })],
    error: null,
    waiting_for: null,
    waiting_until: null,
    poll_after_ms: 1000,
    updated_at: '2026-03-01T12:00:00Z',
    ...more,
  }
}

function failure(kind: string, error: string, stages = [stage('extract', 'COMPLETED'), stage('embed', 'FAILED', { attempts: 2 })]) {
  const run = { id: 'r', state: 'FAILED', failure_type: kind, resumes_run_id: null }
  return storyOf(status({ status: 'FAILED', run, error, stages }), NOW)
}

describe('the story of a document', () => {
  test('one at work says how far it is', () => {
    expect(storyOf(status(), NOW)).toMatchObject({ tone: 'busy', what: 'Embedding passages: chunk 76 of 406.' })
  })

  test('one processed anew says that the earlier content still answers', () => {
    expect(storyOf(status({ searchable: true }), NOW).what).toContain('earlier content keeps answering')
  })

  test('a throttled one waits; it has not failed', () => {
    const story = storyOf(
      status({ waiting_for: 'waiting for openai: too many requests', waiting_until: '2026-03-01T12:00:14Z' }),
      NOW,
    )
    expect(story).toMatchObject({ tone: 'waiting', label: 'Waiting' })
    expect(story.what).toBe('Waiting for openai: too many requests, going on in 14 s.')
  })

  test('one that is tried again says what went wrong before', () => {
    const story = storyOf(
      status({
        waiting_for: 'trying again after an error (attempt 2 of 5)',
        waiting_until: '2026-03-01T12:00:30Z',
        error: 'ValueError: broken',
      }),
      NOW,
    )
    expect(story.what).toContain('going on in 30 s. Last error: ValueError: broken')
  })

  test('one behind another run of its document says so without its number', () => {
    const story = storyOf(
      status({ waiting_for: 'waiting for run 01a1e17c-7f1a-73dd-9896-02f49fc21d46 of the same document' }),
      NOW,
    )
    expect(story.what).toBe('Waiting for an earlier run of this document.')
  })

  test('a rejected one needs another file', () => {
    const story = failure('REJECTED', 'The PDF is locked with a password')
    expect(story.what).toBe('The PDF is locked with a password.')
    expect(story.todo).toContain('Upload a file that can be read')
  })

  test('a quarantined one is set aside and the others go on', () => {
    const story = failure('QUARANTINED', 'The process died 3 times during the stage embed; the document is set aside.')
    expect(story.label).toBe('Set aside')
    expect(story.todo).toContain('other documents go on')
  })

  test('a failed one says where, after how many tries, and what a retry keeps', () => {
    const story = failure('STAGE_FAILED', 'boom')
    expect(story.what).toBe('Gave up at the stage ‘embed’ after 2 tries. boom.')
    expect(story.todo).toBe('Retry when you like. Read is kept; nothing is paid for twice.')
  })

  test('a refused one sends to the key and the quota', () => {
    expect(failure('PROVIDER_REFUSED', 'bad key').todo).toContain('Check the key and the quota')
  })

  test('a timed-out and a cancelled one say so and what is kept', () => {
    const late = storyOf(status({ status: 'TIMED_OUT', error: 'The run took longer than its deadline.' }), NOW)
    expect(late).toMatchObject({ label: 'Timed out', what: 'The run took longer than its deadline.' })
    const stopped = storyOf(
      status({ status: 'CANCELLED', stages: [stage('extract', 'COMPLETED'), stage('embed', 'CANCELLED')] }),
      NOW,
    )
    expect(stopped.what).toBe('Stopped by a person at the stage ‘embed’.')
    expect(stopped.todo).toContain('Read is kept')
  })

  test('a finished one says how long it took and what was reused', () => {
    const stages = [stage('extract', 'COMPLETED', { reused: true, seconds: 0 }), stage('embed', 'COMPLETED', { seconds: 4.2 })]
    expect(storyOf(status({ status: 'COMPLETED', stages }), NOW).what).toBe('Done in 4.2 s, 1 stage reused.')
  })
})

describe('events', () => {
  test('a finished stage says how long it took, from the last time it began', () => {
    const event = (id: number, kind: string, at: string) => ({ id, kind, at, stage: 'extract', job_id: 'j', detail: {} })
    const all = [
      event(1, 'STEP_STARTED', '2026-03-01T12:00:00Z'),
      event(2, 'LEASE_EXPIRED', '2026-03-01T12:00:30Z'),
      event(3, 'STEP_STARTED', '2026-03-01T12:01:00Z'),
      event(4, 'STEP_COMPLETED', '2026-03-01T12:01:03Z'),
    ]
    expect(happening(all[3]!, all).what).toBe('‘read’ finished in 3.0 s')
    expect(happening(all[1]!, all).what).toContain('fell silent')
  })

  test('a resumed run says what it takes over', () => {
    const event = { id: 1, kind: 'RUN_QUEUED', at: '', stage: null, job_id: null, detail: { reused: ['extract', 'chunk'] } }
    expect(happening(event, []).more).toBe('Takes over read and cut from an earlier run')
  })
})

describe('numbers in words', () => {
  test.each([
    [0.42, '0.4 s'],
    [9.96, '10 s'],
    [59.6, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [90_000, '1 d 1 h'],
  ])('%d seconds are %s', (amount, words) => expect(seconds(amount)).toBe(words))

  test.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_234, '1.2 kB'],
    [999_700, '1.0 MB'],
    [12_600_000, '13 MB'],
  ])('%d bytes are %s', (size, words) => expect(bytes(size)).toBe(words))

  test('small costs are not nothing', () => {
    expect([0, 0.00001, 0.0123, 2.5].map(dollars)).toEqual(['$0', 'less than $0.0001', '$0.0123', '$2.50'])
  })

  test('progress is never 0 of 0', () => {
    expect(counting('embed', 0, 0)).toBeNull()
    expect(counting('embed', null, 5)).toBeNull()
    expect(counting('embed', 1_200, 3_000)).toBe('chunk 1,200 of 3,000')
  })

  test('times, counts and kinds', () => {
    expect(ago('2026-03-01T11:58:00Z', NOW)).toBe('2 min ago')
    expect(count(1, 'page')).toBe('1 page')
    expect([5, 65, 3727].map(timecode)).toEqual(['0:05', '1:05', '1:02:07'])
    expect(fileKind('image/png', 'a.png')).toBe('PNG image')
    expect(fileKind('application/octet-stream', 'a.xyz')).toBe('XYZ')
  })
})
