/** A work whose result is ready part by part: when its parts and its end are reached. */
import { type Fabric, peerName, type Work } from '@murmuration/core'
import test from 'ava'
import type { FaultEvent } from './faults.js'
import { simulate } from './simulate.js'
import { type SimulationObserver, uniformLinks } from './simulation-options.js'

const a = peerName('a')
const b = peerName('b')
const wire = { byteLength: () => 100, payloadLength: () => 100, copy: (text: string) => text }
const parts = [
  { offset: 6, length: 4, done: 0.25 },
  { offset: 3, length: 3, done: 0.5 },
  { offset: 0, length: 3, done: 0.75 }
]

/** What a logs of a work of 100 ms, with the time, and when works end; b sends it "hello" at 30 ms. */
async function logOf(
  run: Work<string>['run'],
  program: (fabric: Fabric<string>, work: ReturnType<Fabric<string>['work']>, log: (what: unknown) => void) => unknown,
  events: readonly FaultEvent[] = []
) {
  const lines: string[] = []
  const observer: SimulationObserver = { work: (_, kind, start, end) => lines.push(`${kind} ${start} to ${end}`) }
  const topology = { peers: [a, b], period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const links = uniformLinks({})
  const faults = { rules: [], events }
  await simulate<string>({ topology, seed: 1, wire, links, cost: () => 100, faults, observer }, async (fabric) => {
    if (fabric.self === b) {
      await fabric.sleep(30)
      fabric.send(a, 'hello')
      return
    }
    const work = fabric.work({ kind: 'gradient', samples: 1, run, parts })
    await program(fabric, work, (what) => lines.push(`${fabric.now()} ${String(what)}`))
  })
  return lines
}

test('parts are ready at their fractions of the time, and messages arrive meanwhile', async (t) => {
  const lines = await logOf(
    () => 'result',
    async (fabric, work, log) => {
      log(await work.part?.(0))
      log((await fabric.receive())?.message)
      log(await work.part?.(1))
      await fabric.sleep(90)
      log(await work.part?.(2))
      log(await work)
      log(await work.part?.(0))
    }
  )
  t.deepEqual(lines, [
    '25 result',
    '30 hello',
    '50 result',
    '90 result',
    'gradient 0 to 100',
    '100 result',
    '100 result'
  ])
})

test('a part that is ready later is waited for beyond those before it', async (t) => {
  const lines = await logOf(
    async () => 'from a thread',
    async (_, work, log) => {
      log(await work.part?.(2))
      log(await work)
    }
  )
  t.deepEqual(lines, ['75 from a thread', 'gradient 0 to 100', '100 from a thread'])
})

test('a frozen machine computes the rest after its thaw', async (t) => {
  const events = [
    { at: 30, kind: 'freeze', peer: a },
    { at: 60, kind: 'thaw', peer: a }
  ] as const
  const lines = await logOf(
    () => 'result',
    async (_, work, log) => {
      for (const part of [0, 1, 2]) log(await work.part?.(part))
      log(await work)
    },
    events
  )
  t.deepEqual(lines, ['25 result', '80 result', '105 result', 'gradient 0 to 130', '130 result'])
})

test('a work that fails does so at its first awaited part', async (t) => {
  const fail = () => {
    throw new Error('no')
  }
  const lines = await logOf(fail, async (_, work, log) => {
    await Promise.resolve(work.part?.(1)).catch(log)
    await Promise.resolve(work).catch(log)
  })
  t.deepEqual(lines, ['50 Error: no', 'gradient 0 to 100', '100 Error: no'])
})

test('a peer that is asked to stop no longer waits for a part', async (t) => {
  const lines = await logOf(
    () => 'result',
    async (_, work, log) => {
      await Promise.resolve(work.part?.(2)).catch((error: unknown) => log((error as Error).name))
    },
    [{ at: 40, kind: 'leave', peer: a }]
  )
  t.deepEqual(lines, ['40 StoppedError'])
})
