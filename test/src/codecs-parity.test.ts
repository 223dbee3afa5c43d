/** Codecs in the simulator are those of real links: the same bytes, and the same bits at the end. */
import { dpsgd, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { InputError, type PeerName, peerName } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import { bodyOf } from '@murmuration/vectors'
import { codedWire, frameHeaderLength, frameNumbers, framesOf, vectorWire } from '@murmuration/wire'
import test from 'ava'
import { pullingTask } from './pulling-task.js'
import { complete, overLibp2p, type WorldProgram, simulated } from './worlds.js'

const peers = ['p0', 'p1', 'p2', 'p3'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'ring' } })
/** Vectors travel as two frames. */
const length = frameNumbers + 5000

function training(ends: Map<PeerName, Float32Array>): WorldProgram {
  const settings = { algorithm: dpsgd, seed: 1, batchSize: 4, rounds: 8, finalRounds: 3, workers: peers }
  return async (fabric) => {
    const run = { ...settings, rate: () => 0.2, timeout: timeLimit(20_000) }
    for await (const { parameters } of train(fabric, pullingTask(peers, fabric.self, length), run)) {
      ends.set(fabric.self, parameters.slice())
    }
  }
}

for (const codec of ['float32', 'int8', 'int4', 'delta-int8', 'delta-int4', 'top-k:0.05']) {
  test.serial(
    `${codec}: a ring of 4 sends the same bytes in the simulator and on libp2p, and ends with the same parameters`,
    async (t) => {
      const options = { topology, seed: 11, length, codec }
      const inTime = new Map<PeerName, Float32Array>()
      const onLinks = new Map<PeerName, Float32Array>()
      const { bytes, messages } = await simulated(options, training(inTime))
      let real: readonly Peer[] = []
      await overLibp2p(options, training(onLinks), (all) => (real = all))
      const sent = real.map((peer) => peer.traffic().sent)
      const sum = (pick: (of: (typeof sent)[number]) => number) => sent.reduce((all, each) => all + pick(each), 0)
      t.is(
        sum(({ frames }) => frames),
        messages
      )
      t.is(sum(({ payload }) => payload) + messages * framesOf(length) * frameHeaderLength, bytes)
      t.is(bytes < 0.5 * messages * 4 * length, codec !== 'float32')
      for (const peer of peers) {
        const simulation = inTime.get(peer)
        const link = onLinks.get(peer)
        t.is(simulation?.length, length)
        t.is(Buffer.compare(bodyOf(link as Float32Array), bodyOf(simulation as Float32Array)), 0)
      }
    }
  )
}

for (const codec of ['float32', 'delta-int8', 'top-k:0.05']) {
  test.serial(
    `${codec}: vectors that a later epoch drops leave the same bytes and the same bits in both worlds`,
    async (t) => {
      const [a, b] = ['a', 'b'].map(peerName)
      const options = { topology: complete(a, b), seed: 11, length: 4 * frameNumbers, codec, bandwidth: 20e6 }
      const vectorOf = (round: number) => Float32Array.from({ length: options.length }, (_, k) => Math.sin(k + round))
      const programInto =
        (received: Buffer[]): WorldProgram =>
        async (fabric) => {
          if (fabric.self === b)
            for (const _ of [1, 2, 3]) {
              const envelope = await fabric.receive(fabric.now() + timeLimit(20_000))
              received.push(Buffer.from(bodyOf(envelope?.message.vector ?? t.fail())))
            }
          else
            for (const [epoch, rounds] of [3, 2].entries()) {
              for (let round = 0; round < rounds; round++)
                t.is(fabric.send(b, { kind: 1, epoch, round, vector: vectorOf(epoch + round) }), 'queued')
              // The first one begins.
              await fabric.sleep(fabric.now())
            }
        }
      const inTime: Buffer[] = []
      const onLinks: Buffer[] = []
      const { bytes, messages } = await simulated(options, programInto(inTime))
      let real: readonly Peer[] = []
      await overLibp2p(options, programInto(onLinks), (all) => (real = all))
      const { frames, payload } = real[0].traffic().sent
      t.deepEqual([frames, payload + frames * 4 * frameHeaderLength], [messages, bytes])
      t.is(messages, 3)
      t.true(inTime.every((body, index) => body.equals(onLinks[index])))
    }
  )
}

test.serial('a codec that chooses by the speed of real links is none for the simulator', (t) => {
  const coding = { codec: 'auto', elements: 8, random: () => t.fail() }
  t.throws(() => codedWire(vectorWire, coding), { instanceOf: InputError })
})
