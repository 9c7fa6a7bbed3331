import { describe, expect, test } from 'vitest'
import type { Version } from '../api/versions'
import { chosenItems } from '../uploads/dropped-files'
import { folderKeys } from '../uploads/folder-keys'
import { UploadQueue } from '../uploads/queue'
import type { SendFile, VersionTarget } from '../uploads/send'
import { placeText } from './diff'
import { changeText } from './versions'

const version = (number: number, added: number | null, removed: number | null, kept: number | null) =>
  ({ number, chunks_added: added, chunks_removed: removed, chunks_kept: kept }) as Version

describe('what a version changed', () => {
  test('is told by numbers of chunks', () => {
    expect(changeText(version(1, 40, 0, 0))).toBe('40 chunks')
    expect(changeText(version(2, 2, 1, 39))).toBe('2 chunks added, 1 chunk removed, 39 unchanged')
    expect(changeText(version(3, 0, 0, 41))).toBe('the same text')
    expect(changeText(version(4, null, null, null))).toBe('')
  })

  test('a hunk names its line in the new text', () => {
    expect(placeText('@@ -3,7 +5,8 @@')).toBe('line 5')
  })
})

describe('the files of a folder', () => {
  const file = (path: string) =>
    Object.defineProperty(new File(['x'], path.split('/').pop()!), 'webkitRelativePath', { value: path })

  test('have keys only if they are to be versions', () => {
    const keys = () => chosenItems([file('in/a.txt'), file('in/letters/b.txt')]).map(({ key }) => key)
    expect(keys()).toEqual([null, null])
    folderKeys.set(true)
    expect(keys()).toEqual(['in/a.txt', 'in/letters/b.txt'])
    folderKeys.set(false)
  })
})

test('the next version of a document is sent to it', () => {
  const targets: (VersionTarget | undefined)[] = []
  const send: SendFile = (_file, _key, _progress, _collection, target) => {
    targets.push(target)
    return { result: new Promise(() => {}), cancel: () => {} }
  }
  const queue = new UploadQueue(send, () => {})
  queue.add([{ file: new File(['x'], 'a'), collection: null, replaces: '1' }, new File(['x'], 'b')])
  expect(targets.map((target) => target?.replaces)).toEqual(['1', undefined])
})
