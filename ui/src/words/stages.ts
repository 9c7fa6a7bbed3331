// The stages of the pipelines in people's words: what is going on, what was done, and what is counted inside.

interface StageWords {
  short: string
  doing: string
  counted: [one: string, many: string]
}

const WORDS: Record<string, StageWords> = {
  extract: { short: 'read', doing: 'Reading the file', counted: ['page', 'pages'] },
  save_markdown: { short: 'save', doing: 'Saving its text', counted: ['part', 'parts'] },
  chunk: { short: 'cut', doing: 'Cutting into passages', counted: ['passage', 'passages'] },
  embed: { short: 'embed', doing: 'Embedding passages', counted: ['chunk', 'chunks'] },
  publish: { short: 'publish', doing: 'Publishing', counted: ['part', 'parts'] },
  connect: { short: 'connect', doing: 'Finding connections', counted: ['chunk', 'chunks'] },
  extract_audio: { short: 'audio', doing: 'Preparing the sound', counted: ['second', 'seconds'] },
  transcribe_start: { short: 'send', doing: 'Sending for transcription', counted: ['part', 'parts'] },
  transcribe_poll: { short: 'transcribe', doing: 'Transcribing', counted: ['second', 'seconds'] },
  analyze: { short: 'analyze', doing: 'Analyzing the call', counted: ['part', 'parts'] },
}

export function shortName(stage: string): string {
  return WORDS[stage]?.short ?? stage.replace(/_/g, ' ')
}

export function doing(stage: string): string {
  return WORDS[stage]?.doing ?? `Working on ${stage.replace(/_/g, ' ')}`
}

/** `chunk 76 of 406`; nothing while there is nothing sensible to count. */
export function counting(stage: string, done: number | null, total: number | null): string | null {
  if (done === null || total === null || total <= 0) return null
  const [one] = WORDS[stage]?.counted ?? ['step', 'steps']
  return `${one} ${Math.min(done, total).toLocaleString('en')} of ${total.toLocaleString('en')}`
}
