import { type Envelope, type Milliseconds, peerName, type Wire } from '@murmuration/core'
import test from 'ava'
import { simulate } from './simulate.js'
import { uniformLinks } from './simulation-options.js'
import type { Faults } from './faults.js'

const wire: Wire<string> = {
  byteLength: (text) => text.length,
  payloadLength: (text) => text.length,
  copy: (text) => text
}
const a = peerName('a')
const b = peerName('b')

/**
 * b waits once, with a receiver; a sends it these texts at these times. Returns what the receiver took and when, and
 * how and when the wait ended.
 */
async function heard(
  texts: readonly (readonly [Milliseconds, string])[],
  take: (text: string) => Milliseconds | undefined,
  faults?: Faults
) {
  const taken: (readonly [Milliseconds, string])[] = []
  let outcome: readonly [Milliseconds, string | undefined] | undefined
  const topology = { peers: [a, b], period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const options = {
    topology,
    seed: 1,
    wire,
    links: uniformLinks({ latency: 10 }),
    cost: () => 0,
    ...(faults && { faults })
  }
  await simulate(options, async (fabric) => {
    if (fabric.self === a) {
      for (const [time, text] of texts) {
        await fabric.sleep(time)
        fabric.send(b, text)
      }
      return
    }
    const receiver = {
      take: ({ message }: Envelope<string>) => {
        taken.push([fabric.now(), message])
        return take(message)
      }
    }
    const came = await Promise.resolve(fabric.receive(100, receiver)).catch(String)
    outcome = [fabric.now(), typeof came === 'string' ? came : came?.message]
  })
  return { taken, outcome }
}

test('a receiver takes each message of a wait when it comes, and ends the wait', async (t) => {
  const { taken, outcome } = await heard([[1, 'one'], [2, 'two'], [3, 'three']], (text) => (text === 'two' ? undefined : 100)) // oxfmt-ignore
  t.deepEqual(taken, [[11, 'one'], [12, 'two']]) // oxfmt-ignore
  t.deepEqual(outcome, [12, undefined])
})

test('the deadline that a receiver gives takes the place of the one before', async (t) => {
  t.deepEqual((await heard([[1, 'one']], () => 40)).outcome, [40, undefined])
  t.deepEqual((await heard([[1, 'one']], () => 200)).outcome, [200, undefined])
})

test('what a receiver throws fails the wait', async (t) => {
  const fail = () => {
    throw new Error('no')
  }
  t.deepEqual((await heard([[1, 'one']], fail)).outcome, [11, 'Error: no'])
})

test('a frozen machine takes nothing: its program gets the message at its thaw', async (t) => {
  const events = [
    { at: 5, kind: 'freeze', peer: b },
    { at: 30, kind: 'thaw', peer: b }
  ] as const
  const { taken, outcome } = await heard([[1, 'one']], () => 100, { events, rules: [] })
  t.deepEqual(taken, [])
  t.deepEqual(outcome, [30, 'one'])
})
