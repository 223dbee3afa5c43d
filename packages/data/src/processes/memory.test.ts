/** What a process takes that reads a file which unpacks to a thousand times as much, or an honest one of 60 MB. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { encode } from 'fast-png'

const program = `
const { loadLocalData } = await import(process.argv[1])
const split = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a', 'b'], self: 'a', seed: 1 }
const outcome = await loadLocalData({ data: { kind: 'files', path: process.argv[2] }, ...split }).then(
  ({ train }) => String(train.count),
  (error) => error.constructor.name
)
console.log(JSON.stringify({ outcome, megabytes: process.resourceUsage().maxRSS / 1024 }))`

/** Loads a file in a process of its own. */
async function loaded(path: string): Promise<{ readonly outcome: string; readonly megabytes: number }> {
  const index = new URL('../index.js', import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, index, path])
  return JSON.parse(stdout) as { outcome: string; megabytes: number }
}

const packed = (text: string, bytes: number) => gzipSync(Buffer.alloc(bytes, text))
const image = () => encode({ width: 6000, height: 6000, depth: 16, channels: 3, data: new Uint16Array(108e6) })
const row = (label: number) =>
  `${Array.from({ length: 99 }, (_, column) => (0.123456 + column / 1000).toFixed(5)).join(',')},${label}\n`

const cases: readonly (readonly [name: string, content: () => Uint8Array, outcome: string, megabytes: number])[] = [
  ['rows.csv.gz', () => packed('1,0\n', 2 ** 28), 'InputError', 1000],
  ['cells.csv.gz', () => packed('0,', 2 ** 28), 'InputError', 1000],
  ['text.txt.gz', () => packed('ab cd', 65e6), '406249', 1000],
  ['honest.csv', () => Buffer.alloc(row(0).length * 76_000, row(0) + row(1)), '30400', 400],
  ['image/a/1.png', image, 'InputError', 1000]
]

for (const [name, content, outcome, most] of cases) {
  test.serial(`${name} is read or refused within ${most} MB`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'murmur-memory-'))
    t.teardown(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'image/a'), { recursive: true })
    await writeFile(join(folder, name), content())
    const found = await loaded(name.startsWith('image') ? join(folder, 'image') : join(folder, name))
    t.is(found.outcome, outcome)
    t.true(found.megabytes < most, `${found.megabytes} MB`)
  })
}
