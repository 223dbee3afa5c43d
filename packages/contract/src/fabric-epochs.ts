import { type Fabric, peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { TestFn } from 'ava'
import { next } from './exchanging.js'
import type { FabricWorld } from './fabric-world.js'
import { complete } from './graphs.js'

/** So long that a link which sends nothing else has not begun the second vector when the first one has just begun. */
const line = { length: 200_000, bandwidth: 20e6 }

/** The last epoch before 0 comes again. */
const lastEpoch = 65_535

/** That vectors of an epoch that is over delay no later one: part of what every fabric promises. */
export function testEpochs(test: TestFn, world: FabricWorld): void {
  const titled = (title: string) => `${world.name}: ${title}`
  const b = peerName('b')

  /** What b receives, as epoch and round, until a message of kind 2; `send` is the program of a. */
  async function receivedOver(send: (fabric: Fabric<VectorMessage>) => Promise<void>): Promise<string[]> {
    const received: string[] = []
    await world.runOverLines(complete('a', 'b'), line, async (fabric) => {
      if (fabric.self === 'a') return send(fabric)
      for (;;) {
        const { message } = await next(fabric)
        received.push(`${message.epoch} ${message.round} ${isWhole(message)}`)
        if (message.kind === 2) return
        fabric.recycle(message)
      }
    })
    return received
  }

  for (const [old, later] of [
    [0, 1],
    [lastEpoch, 0]
  ])
    test(
      titled(`a message of epoch ${later} waits for one vector of epoch ${old} at most, not for a queue`),
      async (t) => {
        const received = await receivedOver(async (fabric) => {
          for (let round = 0; round < 3; round++) t.is(fabric.send(b, whole(old, round)), 'queued')
          // The first one begins.
          await fabric.sleep(fabric.now())
          t.is(fabric.send(b, last(later, 0)), 'queued')
        })
        t.deepEqual(received, [`${old} 0 true`, `${later} 0 true`])
      }
    )

  test(
    titled('a later epoch finds room in a queue that earlier ones have filled, and they find none after it'),
    async (t) => {
      const received = await receivedOver(async (fabric) => {
        let round = 0
        while (fabric.send(b, whole(0, round)) === 'queued' && round < 200) round++
        t.is(round, 8)
        await fabric.sleep(fabric.now())
        t.is(fabric.send(b, { ...last(2, 1), kind: 1 }), 'queued')
        t.is(fabric.send(b, whole(1, 9)), 'queued')
        t.is(fabric.send(b, last(2, 2)), 'queued')
      })
      t.deepEqual(received, ['0 0 true', '2 1 true', '2 2 true'])
    }
  )
}

function whole(epoch: number, round: number): VectorMessage {
  return { kind: 1, epoch, round, vector: new Float32Array(line.length).fill(round) }
}

/** A short message that ends a test. */
function last(epoch: number, round: number): VectorMessage {
  return { kind: 2, epoch, round, vector: Float32Array.of(round) }
}

function isWhole({ round, vector }: VectorMessage): boolean {
  return vector.every((value) => value === round)
}
