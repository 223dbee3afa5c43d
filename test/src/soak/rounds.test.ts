import { type Fabric, fabricWith, peerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import type { VectorMessage } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { inSimulator } from '../worlds.js'
import { Rounds } from './rounds.js'
import { fillVersion } from './versions.js'

const peers = ['a', 'b'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'complete' } })
const elements = 50

/** Runs rounds at a, and `other` at b. */
async function beside(other: (fabric: Fabric<VectorMessage>) => Promise<void>, rounds = 4): Promise<void> {
  await inSimulator({ topology, seed: 1, length: elements }, (fabric) =>
    fabric.self === peers[0] ? goThrough(fabric, rounds) : other(fabric)
  )
}

async function goThrough(fabric: Fabric<VectorMessage>, count: number): Promise<void> {
  const standing = (name: string) => `${name} stands well`
  const rounds = new Rounds({ fabric, peers, elements, timeout: 5_000, exact: true, standing })
  while (rounds.round < count) await rounds.run()
}

/** A peer that sends the versions of `rounds` one after the other, each changed by `corrupt`. */
function sending(rounds: readonly number[], corrupt: (vector: Float32Array) => void = () => {}) {
  return async (fabric: Fabric<VectorMessage>) => {
    for (const round of rounds) {
      const vector = new Float32Array(elements)
      fillVersion(vector, { peer: 1, round })
      corrupt(vector)
      fabric.send(peers[0], { kind: 1, round, vector })
      await fabric.sleep(fabric.now() + 100)
    }
  }
}

const fails = (t: ExecutionContext, other: Parameters<typeof beside>[0], message: RegExp) =>
  t.throwsAsync(beside(other), { message })

test('two peers go through rounds, also when one of them is a round ahead', async (t) => {
  await t.notThrowsAsync(beside((fabric) => goThrough(fabric, 4)))
  await t.notThrowsAsync(beside(sending([0, 1, 2, 3])))
})

test('a version that arrives twice, too early or not at all is reported, with its peer', async (t) => {
  await fails(t, sending([0, 0, 1, 2, 3]), /version 0 of b arrived where 1 was due/)
  await fails(t, sending([0, 2, 3]), /version 2 of b arrived where 1 was due/)
  await fails(t, sending([0, 1, 2]), /round 3 is stuck: after 5 s still missing b \(b stands well\)/)
})

test('a version that is not complete is reported', async (t) => {
  await fails(
    t,
    sending([0], (vector) => (vector[40] += 1)),
    /version 0 of b is not complete as received: its checksum/
  )
})

test('a vector that the fabric writes into after sending is reported', async (t) => {
  const corrupted = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      send: (to, message) => {
        const result = fabric.send(to, message)
        message.vector[20] = 0
        return result
      }
    })
  const run = inSimulator({ topology, seed: 1, length: elements }, (fabric) =>
    fabric.self === peers[0] ? goThrough(corrupted(fabric), 4) : sending([0, 1, 2, 3])(fabric)
  )
  await t.throwsAsync(run, { message: /version 0 of a is not complete as sent/ })
})
