import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Callers } from './callers.js'

const never = new AbortController().signal

/** Calls that are answered until their signal is aborted; how many were answered, and how many still are. */
function answering(callers: Callers) {
  const calls = { answered: 0, open: 0 }
  const call = (host: string, name: string) =>
    callers
      .serve(host, `${host} ${name}`, never, async (signal) => {
        calls.answered++
        calls.open++
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        calls.open--
      })
      .catch(() => {})
  return { calls, call }
}

test('one source is answered at a rate, and other sources still are', async (t) => {
  const { calls, call } = answering(new Callers(60_000))
  for (let name = 0; name < 2_000; name++) void call('192.0.2.1', String(name))
  const first = calls.answered
  t.true(first >= 16 && first < 100, `${first} of 2,000`)
  void call('192.0.2.2', 'other')
  t.is(calls.answered, first + 1)
  for (let name = 0; name < 2_000; name++) void call('2001:db8::1', String(name))
  const atSix = calls.answered
  void call('2001:db8::2', 'of the same /64')
  t.is(calls.answered, atSix)
})

test('however many sources call, few are answered at once, and each only for a while', async (t) => {
  const callers = new Callers(100)
  const { calls, call } = answering(callers)
  for (let host = 0; host < 10_000; host++) void call(`10.0.${host >> 8}.${host & 255}`, '')
  t.true(calls.answered < 300, `${calls.answered} of 10,000`)
  t.true(callers.size <= 64, String(callers.size))
  while (callers.size > 0) await setImmediate()
  t.is(calls.open, 0)
})

test('a caller that calls again is answered once', (t) => {
  const { calls, call } = answering(new Callers(60_000))
  for (let time = 0; time < 5; time++) void call('192.0.2.1', 'the same')
  t.is(calls.answered, 1)
})
