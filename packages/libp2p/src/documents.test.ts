import { readFileSync } from 'node:fs'
import { frameNumbers } from '@murmuration/wire'
import test from 'ava'
import { defaultLimits } from './base/constants.js'
import { minWindow } from './vectors/stream-window.js'

const textOf = (file: string) => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')

test('the documents state the actual stream windows and frame size', (t) => {
  const [least, most] = [minWindow, defaultLimits.streamWindow].map((bytes) => `${bytes / 2 ** 20} MiB`)
  t.true(textOf('understand/performance.md').includes(`at least ${least}, at most ${most}`))
  const frame = `${(frameNumbers * 4) / 2 ** 10} KiB`
  t.true(textOf('understand/performance.md').includes(`frames have ${frame}`))
  t.true(textOf('understand/architecture.md').includes(`frames of ${frame}`))
})
