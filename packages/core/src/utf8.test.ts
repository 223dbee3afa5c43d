import { isUtf8 } from 'node:buffer'
import test from 'ava'
import { wrongUtf8 } from './utf8.js'

test('bytes are UTF-8 exactly where those of Node are', (t) => {
  const parts = [
    0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5
  ]
  const wrong: number[][] = []
  for (const a of parts)
    for (const b of parts)
      for (const c of parts)
        for (const d of parts) {
          const bytes = Buffer.of(a, b, c, d)
          if (isUtf8(bytes) !== (wrongUtf8(bytes) === undefined)) wrong.push([a, b, c, d])
        }
  t.deepEqual(wrong, [])
})

test('the position is that of the first wrong byte, also after U+FFFD', (t) => {
  const bytes = Buffer.concat([Buffer.from('a\uFFFD\né🐦'), Buffer.of(0xe4), Buffer.from('x')])
  t.is(wrongUtf8(bytes), 'line 2, character 3')
  t.is(wrongUtf8(bytes, 7, 5), 'line 8, character 3')
  t.is(wrongUtf8(Buffer.of(0x61, 0xe4), 7, 5), 'line 7, character 6')
})
