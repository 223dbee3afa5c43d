import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { decodedOnce, keepDecodedImages } from './kept-images.js'

test.serial(
  'images are decoded again only where nothing is kept, a file or the form has changed, or memory is short',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'murmur-kept-'))
    const file = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return [{ name, path: join(folder, name) }]
    }
    const first = await file('1.png', 'one')
    const second = await file('2.png', 'two')
    let decoded = 0
    const open = async (files: typeof first, size = 4) => {
      const before = decoded
      await decodedOnce(files, [size], async () => {
        decoded++
        return { inputShape: [size], pixels: new Uint8Array(size) }
      })
      return decoded > before
    }
    t.deepEqual([await open(first), await open(first)], [true, true], 'nothing is kept by default')
    keepDecodedImages(8)
    t.deepEqual(
      [await open(first), await open(first), await open(second), await open(first)],
      [true, false, true, false]
    )
    t.true(await open(first, 3), 'another size')
    t.false(await open(first), 'the latest are kept')
    t.true(await open(second), 'the oldest made room')
    await file('2.png', 'three')
    t.true(await open(second))
    t.deepEqual([await open(first, 9), await open(first, 9)], [true, true], 'more than may be kept')
    keepDecodedImages(0)
  }
)
