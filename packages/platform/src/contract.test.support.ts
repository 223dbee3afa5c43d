/** What both implementations of the platform must do, as cases by their titles. The same run in Node and in a page. */
import type * as Platform from './node.js'

/** Where the cases run. */
export interface ContractPlace {
  readonly platform: typeof Platform
  /** A folder that does not exist yet. */
  readonly folder: string
  /** thread.test.support.ts. */
  readonly program: Platform.ThreadProgram
  /** A program that cannot be loaded. */
  readonly missing: Platform.ThreadProgram
}

/** Throws where two values differ as JSON. */
function same(found: unknown, expected: unknown): void {
  const texts = [found, expected].map((value) => JSON.stringify(value))
  if (texts[0] !== texts[1]) throw new Error(`found ${texts[0]}, expected ${texts[1]}`)
}

async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const error = await promise.then(
    () => new Error('nothing was thrown'),
    (thrown: unknown) => thrown
  )
  if (!(error instanceof Error) || !pattern.test(error.message)) throw new Error(`found ${error}, expected ${pattern}`)
}

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (found: Uint8Array | undefined) => found && new TextDecoder().decode(found)

/** The next message of a thread. */
const nextOf = (thread: Platform.Thread) => new Promise<unknown>((resolve) => thread.listen(resolve))

export const contract: Readonly<Record<string, (place: ContractPlace) => Promise<void>>> = {
  'hashes are those of FIPS 180-4': async ({ platform: { newSha256, sha256 } }) => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    same(sha256(bytes('abc')), abc)
    same(sha256('a', bytes('b'), 'c'), abc)
    same(newSha256().update('ab').update(bytes('c')).hex(), abc)
    same(sha256(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    same(sha256('é€😀'), sha256(bytes('é€😀')))
    const million = 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'
    same(sha256(new Uint8Array(1_000_000).fill(97)), million)
  },

  'memory is shared where it can be': async ({ platform: { hasSharedMemory, newBuffer } }) => {
    const buffer = newBuffer(12)
    same(buffer.byteLength, 12)
    same(
      Object.prototype.toString.call(buffer),
      hasSharedMemory ? '[object SharedArrayBuffer]' : '[object ArrayBuffer]'
    )
  },

  'turns are called in order, later, and not once they are cancelled': async ({ platform: { afterTurn } }) => {
    const calls: string[] = []
    afterTurn(() => calls.push('first'))
    const cancel = afterTurn(() => calls.push('cancelled'))
    const second = new Promise<void>((resolve) =>
      afterTurn(() => {
        calls.push('second')
        resolve()
      })
    )
    cancel()
    await Promise.resolve()
    same(calls, [])
    await second
    same(calls, ['first', 'second'])
  },

  'a thread gets its start and answers': async ({ platform: { startThread }, program }) => {
    const thread = startThread(program, { greeting: 'good day' })
    same(await nextOf(thread), { start: { greeting: 'good day' } })
    const answer = nextOf(thread)
    const numbers = Float32Array.of(1, 2)
    thread.post({ kind: 'double', numbers }, [numbers.buffer])
    same(numbers.length, 0)
    same([...((await answer) as Float32Array)], [2, 4])
    await thread.end()
    same(await thread.ended.then(({ error }) => error), undefined)
  },

  'memory that threads share is seen by both': async ({ platform, program }) => {
    if (!platform.hasSharedMemory) return
    const thread = platform.startThread(program, undefined)
    await nextOf(thread)
    const answer = nextOf(thread)
    const numbers = new Float32Array(platform.newBuffer(8))
    thread.post({ kind: 'fill', numbers })
    await answer
    same([...numbers], [7, 7])
    await thread.end()
  },

  'an uncaught error ends a thread': async ({ platform: { startThread }, program }) => {
    const thread = startThread(program, undefined)
    await nextOf(thread)
    thread.post({ kind: 'throw' })
    const { error } = await thread.ended
    same(error instanceof Error && error.message.includes('thrown by the thread'), true)
  },

  'a program that is not there ends its thread': async ({ platform: { startThread }, missing }) => {
    const { error } = await startThread(missing, undefined).ended
    same(error instanceof Error, true)
  },

  'files are written, replaced, listed and removed': async ({ platform: { openFolder }, folder }) => {
    const files = await openFolder(folder)
    same(await files.read('b'), undefined)
    same(await files.list(), [])
    same(await files.write('b', bytes('one')), true)
    same(await files.write('a.json', bytes('')), true)
    same(await files.write('b', bytes('two')), true)
    same([text(await files.read('b')), text(await files.read('a.json'))], ['two', ''])
    same(await files.list(), ['a.json', 'b'])
    same(await (await openFolder(folder)).list(), ['a.json', 'b'])
    same(await (await openFolder(`${folder}-other`)).list(), [])
    await files.remove('b')
    await files.remove('b')
    same(await files.list(), ['a.json'])
  },

  'of several that write a new file one wins': async ({ platform: { openFolder }, folder }) => {
    const files = await Promise.all(Array.from({ length: 4 }, () => openFolder(folder)))
    const written = await Promise.all(files.map((each, index) => each.write('key', bytes(String(index)), 'new')))
    same(written.filter(Boolean).length, 1)
    same(text(await files[0].read('key')), String(written.indexOf(true)))
    same(await files[0].write('key', bytes('later'), 'new'), false)
    same(text(await files[0].read('key')), String(written.indexOf(true)))
    same(await files[0].list(), ['key'])
  },

  'appended bytes come after the others, and go with the file': async ({ platform: { openFolder }, folder }) => {
    const files = await openFolder(folder)
    for (const part of ['a', 'b', 'c']) await files.append('log', bytes(part))
    await files.append('logs', bytes('another'))
    same(text(await files.read('log')), 'abc')
    await files.write('log', bytes('new '))
    await files.append('log', bytes('end'))
    same(text(await files.read('log')), 'new end')
    await files.remove('log')
    same([await files.read('log'), await files.list()], [undefined, ['logs']])
  },

  'what is written later to the memory is not in the file': async ({ platform: { openFolder }, folder }) => {
    const files = await openFolder(folder)
    const numbers = new Uint8Array(4)
    const written = files.write('state', numbers.subarray(1, 3))
    await written
    numbers.fill(9)
    const first = await files.read('state')
    same([...(first ?? [])], [0, 0])
    first?.fill(5)
    same([...((await files.read('state')) ?? [])], [0, 0])
  },

  'names that are paths are refused': async ({ platform: { openFolder }, folder }) => {
    const files = await openFolder(folder)
    for (const name of ['', '.', '..', '../key', 'a/b', 'a\\b', '.hidden']) {
      await rejects(files.write(name, bytes('')), /without slashes/)
      await rejects(files.read(name), /without slashes/)
      await rejects(files.append(name, bytes('')), /without slashes/)
      await rejects(files.remove(name), /without slashes/)
    }
    same(await files.list(), [])
  }
}
