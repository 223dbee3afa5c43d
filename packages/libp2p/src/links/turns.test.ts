import { setMaxListeners } from 'node:events'
import test from 'ava'
import { Turns } from './turns.js'
import { within } from '../base/within.js'

/** Calls that count the concurrent ones. */
function calls() {
  const count = { now: 0, most: 0, made: 0 }
  const counted = (end: () => Promise<undefined>) => async () => {
    count.now++
    count.made++
    count.most = Math.max(count.most, count.now)
    try {
      return await end()
    } finally {
      count.now--
    }
  }
  return { count, counted }
}

const open = new AbortController().signal
setMaxListeners(0, open)
const pause = () => new Promise<undefined>((resolve) => setTimeout(resolve, 1))
const refused = () => Promise.reject(new Error('refused'))
/** Ends like a call without an answer. */
const mute = () => within(20, open, () => new Promise<undefined>(() => {}))

test.serial('each call gets its turn, however earlier ones end, and few run at once', async (t) => {
  const { count, counted } = calls()
  const peers = Array.from({ length: 16 }, () => new Turns(4))
  const ends = [pause, refused, mute, () => Promise.resolve(undefined)]
  const results = await Promise.allSettled(
    Array.from({ length: 320 }, (_, index) => peers[index % 16].take(counted(ends[(index >> 4) % 4]), open))
  )
  t.is(results.filter(({ status }) => status === 'rejected').length, 160)
  t.deepEqual(count, { now: 0, most: 16, made: 320 })
})

test.serial('one peer has at most its number of concurrent calls', async (t) => {
  const { count, counted } = calls()
  const turns = new Turns(3)
  await Promise.all(Array.from({ length: 20 }, () => turns.take(counted(pause), open)))
  t.deepEqual(count, { now: 0, most: 3, made: 20 })
})

test.serial('a call that is aborted while it waits is not made, and frees its turn', async (t) => {
  const { count, counted } = calls()
  const peers = Array.from({ length: 8 }, () => new Turns(4))
  const going = new AbortController()
  setMaxListeners(0, going.signal)
  const held: (() => void)[] = []
  const hold = () => new Promise<undefined>((resolve) => held.push(() => resolve(undefined)))
  const first = Array.from({ length: 16 }, (_, index) => peers[index % 4].take(counted(hold), open))
  const waiting = Array.from({ length: 64 }, (_, index) => peers[index % 8].take(counted(pause), going.signal))
  const last = Array.from({ length: 32 }, (_, index) => peers[index % 8].take(counted(pause), open))
  going.abort(new Error('called meanwhile'))
  const results = await Promise.allSettled(waiting)
  t.true(results.every(({ status }) => status === 'rejected'))
  for (const release of held) release()
  await Promise.all([...first, ...last])
  t.deepEqual(count, { now: 0, most: 16, made: 48 })
})
