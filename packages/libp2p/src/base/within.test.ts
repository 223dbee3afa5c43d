import { getEventListeners, setMaxListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import { within } from './within.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const open = () => new AbortController().signal

/** Ends only when it is aborted. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('a wait ends at its timeout, also after a garbage collection', async (t) => {
  const closing = open()
  setMaxListeners(0, closing)
  const waits = Array.from({ length: 20 }, () => within(100, closing, untilAborted).catch((error) => error.name))
  for (let times = 0; times < 3; times++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
  }
  t.deepEqual(await Promise.all(waits), Array(20).fill('TimeoutError'))
})

test('work that ignores its signal is not waited for', async (t) => {
  const deaf = () => new Promise<never>(() => {})
  await t.throwsAsync(within(10, open(), deaf), { name: 'TimeoutError', message: 'no answer within 0.01 s' })
  const closing = new AbortController()
  const wait = within(1e6, closing.signal, deaf)
  closing.abort(new Error('enough'))
  await t.throwsAsync(wait, { message: 'enough' })
  await t.throwsAsync(
    within(1e6, closing.signal, async () => t.fail()),
    { message: 'enough' }
  )
})

test('work that ends in time returns its result or error, and leaves no timer or listener', async (t) => {
  const closing = open()
  t.is(await within(1e6, closing, async () => 7), 7)
  const refuse = async () => Promise.reject(new Error('no'))
  await t.throwsAsync(within(1e6, closing, refuse), { message: 'no' })
  t.deepEqual(getEventListeners(closing, 'abort'), [])
})
