import { describe, expect, test } from 'vitest'
import type { Status } from '../api/status'
import { eventText } from './events'
import { ago, byText, bytes, count, dollars, fileKind, seconds, timecode, typeChoices } from './format'
import { progressText, stageLabel, stageRank } from './stages'
import { statusMessage } from './status-message'
import { waitingText } from './waiting'

const NOW = Date.parse('2026-03-01T12:00:00Z')

type Stage = Status['stages'][number]

function stage(name: string, status: string, more: Partial<Stage> = {}): Stage {
  return {
    name,
    label: stageLabel(name),
    status,
    attempts: 0,
    crashes: 0,
    seconds: null,
    progress: null,
    reused: false,
    calls_made: 0,
    calls_reused: 0,
    cost: 0,
    started_at: null,
    completed_at: null,
    last_heartbeat: null,
    job_id: null,
    ...more,
  } as Stage
}

function status(more: Partial<Status> = {}): Status {
  return {
    document_id: 'd',
    status: 'PROCESSING',
    searchable: false,
    run: { id: 'r', state: 'RUNNING', failure_type: null, rejection_code: null, resumes_run_id: null, deadline_seconds: 120 },
    stage: 'embed',
    stages: [
      stage('extract', 'COMPLETED', { seconds: 1.5 }),
      stage('embed', 'PROCESSING', { progress: { done: 76, total: 406, unit: 'chunk' } }),
    ],
    error: null,
    waiting_reason: null,
    waiting_provider: null,
    waiting_until: null,
    waiting_run_id: null,
    waiting_detail: null,
    poll_after_ms: 1000,
    updated_at: '2026-03-01T12:00:00Z',
    ...more,
  } as Status
}

const FAILED_STAGES = [stage('extract', 'COMPLETED'), stage('embed', 'FAILED', { attempts: 2 })]

function failure(kind: string, error: string, code: string | null = null, stages = FAILED_STAGES) {
  const run = { id: 'r', state: 'FAILED', failure_type: kind, rejection_code: code, resumes_run_id: null, deadline_seconds: null }
  return statusMessage(status({ status: 'FAILED', run, error, stages }), NOW)
}

describe('status messages', () => {
  test('a running document shows its progress', () => {
    expect(statusMessage(status(), NOW)).toMatchObject({ tone: 'busy', what: 'Embed: chunk 76 of 406.' })
  })

  test('a document that is processed again says that search uses the previous content', () => {
    expect(statusMessage(status({ searchable: true }), NOW).what).toContain('Search uses the previous content')
  })

  test('a queued document is not shown as waiting', () => {
    expect(statusMessage(status({ waiting_reason: 'free_worker' }), NOW)).toMatchObject({
      tone: 'quiet',
      label: 'Queued',
      what: 'Waiting for a free worker.',
    })
  })

  test('a throttled document shows the provider and the time left', () => {
    const throttled = status({
      waiting_reason: 'provider_throttled',
      waiting_provider: 'openai',
      waiting_until: '2026-03-01T12:00:14Z',
    })
    expect(statusMessage(throttled, NOW)).toEqual({
      tone: 'waiting',
      label: 'Waiting',
      what: 'openai is rate-limited; retrying in 14 s.',
      action: null,
    })
  })

  test('a document that is retried shows the last error', () => {
    const retried = status({ waiting_reason: 'retry', waiting_until: '2026-03-01T12:00:30Z', error: 'ValueError: broken' })
    expect(statusMessage(retried, NOW).what).toBe('Retrying in 30 s. Last error: ValueError: broken')
  })

  test('a rejected document needs another file', () => {
    const message = failure('REJECTED', 'The PDF is password-protected')
    expect(message.what).toBe('The PDF is password-protected.')
    expect(message.action).toBe('Retrying won’t help. Convert the file and upload it again.')
  })

  test('a locked document needs its password, which the error says', () => {
    const message = failure('REJECTED', 'This PDF is password-protected. Enter its password.', 'encrypted')
    expect(message.what).toBe('This PDF is password-protected. Enter its password.')
    expect(message.action).toBeNull()
    expect(failure('REJECTED', 'Wrong password.', 'wrong_password').action).toBeNull()
    expect(failure('REJECTED', 'OpenAI rejected this text.', 'provider_rejected').action).toContain('Convert the file')
    expect(failure('REJECTED', 'The file is empty. Check it.', 'empty').action).toBe('Retrying won’t help.')
  })

  test('a quarantined document does not run again by itself', () => {
    const message = failure('QUARANTINED', 'The worker crashed 3 times.')
    expect(message.label).toBe('Quarantined')
    expect(message.action).toContain('will not run again by itself')
  })

  test('a failed document shows the stage, the attempts and what a retry does', () => {
    const message = failure('STAGE_FAILED', 'boom')
    expect(message.what).toBe('Failed at stage “Embed” after 2 attempts. boom.')
    expect(message.action).toBe('Retry to resume here. Completed stages are not repeated or paid again.')
  })

  test('a refused document asks for the API key and the quota', () => {
    expect(failure('PROVIDER_REFUSED', 'bad key').action).toContain('Check the API key and the quota')
  })

  test('a timed-out document shows its deadline and its last progress', () => {
    const stages = [stage('extract', 'CANCELLED', { progress: { done: 5, total: 30, unit: 'page' } })]
    const message = statusMessage(status({ status: 'TIMED_OUT', stages }), NOW)
    expect(message).toMatchObject({ label: 'Timed out', what: 'Stopped after 120 s at page 5 of 30.' })
    expect(message.action).toContain('run_deadline_seconds')
  })

  test('a cancelled document shows its stage', () => {
    const stages = [stage('extract', 'COMPLETED'), stage('embed', 'CANCELLED')]
    const message = statusMessage(status({ status: 'CANCELLED', stages }), NOW)
    expect(message.what).toBe('Cancelled at stage “Embed”.')
    expect(message.action).toContain('Completed stages are not repeated')
  })

  test('a completed document shows its duration and its reused stages', () => {
    const stages = [stage('extract', 'COMPLETED', { reused: true, seconds: 0 }), stage('embed', 'COMPLETED', { seconds: 4.2 })]
    expect(statusMessage(status({ status: 'COMPLETED', stages }), NOW).what).toBe('Completed in 4.2 s, 1 stage reused.')
  })
})

describe('waiting reasons', () => {
  test.each([
    ['earlier_run', 'Waiting for an earlier run of this document.'],
    ['provider_refused', 'openai refused the account; retrying in 10 s. Its answer: no credit'],
    ['provider_limit', 'The call limit for openai is reached; continuing in 10 s.'],
    ['provider_operation', 'openai is still processing; checking again in 10 s.'],
    ['storage', 'Storage is not available; retrying in 10 s.'],
    ['something_new', 'Waiting (something new).'],
  ])('%s', (reason, text) => {
    expect(waitingText({ reason, provider: 'openai', detail: 'no credit', secondsLeft: 9.2 })).toBe(text)
  })

  test('no time is shown when it is unknown', () => {
    expect(waitingText({ reason: 'provider_throttled', provider: 'openai' })).toBe('openai is rate-limited; retrying later.')
  })
})

describe('events', () => {
  const event = (id: number, kind: string, at = '', detail = {}) => ({ id, kind, at, stage: 'extract', job_id: 'j', detail })

  test('a completed stage shows its duration since its last start', () => {
    const events = [
      event(1, 'STEP_STARTED', '2026-03-01T12:00:00Z'),
      event(2, 'LEASE_EXPIRED', '2026-03-01T12:00:30Z'),
      event(3, 'STEP_STARTED', '2026-03-01T12:01:00Z'),
      event(4, 'STEP_COMPLETED', '2026-03-01T12:01:03Z'),
    ]
    expect(eventText(events[3]!, events).what).toBe('“Read” completed in 3.0 s')
    expect(eventText(events[1]!, events).what).toBe('Worker stopped responding during “Read”')
  })

  test('a resumed run names the stages that it reuses', () => {
    expect(eventText(event(1, 'RUN_QUEUED', '', { reused: ['extract'] }), [], 'run 1').more).toBe('Reuses “Read” from run 1')
    expect(eventText(event(1, 'RUN_QUEUED', '', { reused: ['extract', 'chunk'] }), []).more).toBe(
      'Reuses Read and Split from an earlier run',
    )
  })

  test('a run that goes on in a new run after its deadline has not failed', () => {
    expect(eventText(event(1, 'RUN_TIMED_OUT', '', { continued: true }), [])).toMatchObject({ tone: 'quiet' })
    expect(eventText(event(1, 'RUN_TIMED_OUT', '', {}), [])).toMatchObject({ tone: 'bad', what: 'Timed out' })
  })

  test('a suspended stage gives its reason', () => {
    const detail = { waiting_reason: 'provider_throttled', waiting_provider: 'openai' }
    expect(eventText(event(1, 'STEP_SUSPENDED', '', detail), []).more).toContain('openai is rate-limited')
  })
})

describe('stages', () => {
  test('labels come from the server; the code of an unknown stage becomes words', () => {
    expect(stageLabel('save_markdown')).toBe('Save text')
    expect(stageLabel('acme_summary')).toBe('Acme summary')
  })

  test('stages are ranked in pipeline order, unknown ones last', () => {
    expect(stageRank('extract')).toBeLessThan(stageRank('publish'))
    expect(stageRank('plugin_stage')).toBe(Infinity)
  })

  test('progress is given in its own unit, never as 0 of 0', () => {
    expect(progressText(null)).toBeNull()
    expect(progressText({ done: 0, total: 0, unit: 'chunk' })).toBeNull()
    expect(progressText({ done: 1_200, total: 3_000, unit: 'chunk' })).toBe('chunk 1,200 of 3,000')
    expect(progressText({ done: 65, total: 300, unit: 'second' })).toBe('1 min 5 s of 5 min')
    expect(progressText({ done: 2e6, total: 8e6, unit: 'byte' })).toBe('2.0 MB of 8.0 MB')
    expect(progressText({ done: 2, total: 9, unit: 'window' })).toBe('window 2 of 9')
  })
})

describe('formats', () => {
  test.each([
    [0.42, '0.4 s'],
    [9.96, '10 s'],
    [59.6, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [90_000, '1 d 1 h'],
  ])('%d seconds are %s', (amount, text) => expect(seconds(amount)).toBe(text))

  test.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_234, '1.2 kB'],
    [999_700, '1.0 MB'],
    [12_600_000, '13 MB'],
  ])('%d bytes are %s', (size, text) => expect(bytes(size)).toBe(text))

  test('small costs are not shown as zero', () => {
    expect([0, 0.00001, 0.0123, 2.5].map(dollars)).toEqual(['$0', 'less than $0.0001', '$0.0123', '$2.50'])
  })

  test('times, counts and file types', () => {
    expect(ago('2026-03-01T11:58:00Z', NOW)).toBe('2 min ago')
    expect(count(1, 'page')).toBe('1 page')
    expect([5, 65, 3727].map(timecode)).toEqual(['0:05', '1:05', '1:02:07'])
    expect(fileKind('image/png', 'a.png')).toBe('PNG image')
    expect(fileKind('application/octet-stream', 'a.xyz')).toBe('XYZ')
  })

  test('edits name a person if one is known', () => {
    expect(byText('edited', 'mara', '2026-03-01T12:00:00Z')).toMatch(/^edited by mara, Mar 1, 2026/)
    expect(byText('edited', 'local', '2026-03-01T12:00:00Z')).toMatch(/^edited Mar 1, 2026/)
    expect(byText('edited', null, null)).toBe('edited')
  })

  test('media types with the same name are one choice of a filter', () => {
    const counts = { 'audio/wav': 2, 'application/pdf': 5, 'audio/mp4': 1, 'application/zip': 1 }
    expect(typeChoices(counts, null)).toEqual([
      { value: 'audio/mp4,audio/wav', name: 'Audio', amount: 3 },
      { value: 'application/pdf', name: 'PDF', amount: 5 },
      { value: 'application/zip', name: 'Other', amount: 1 },
    ])
    // A type that came since does not change what is chosen.
    expect(typeChoices(counts, 'audio/wav')[0]).toEqual({ value: 'audio/wav', name: 'Audio', amount: 2 })
    expect(typeChoices({}, 'text/html')).toEqual([{ value: 'text/html', name: 'Web page', amount: 0 }])
  })
})
