import { type Fabric, maxNoteBytes, type PeerName, peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { ExecutionContext, TestFn } from 'ava'
import { message, next, vectorLength } from './exchanging.js'
import type { FabricWorld } from './fabric-world.js'
import { complete, ring } from './graphs.js'
import { timeLimit } from './time-limit.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

/** The notes that a peer has received, and the peers that it has heard from. */
class RecordingListener {
  readonly notes: [PeerName, string][] = []
  readonly from = new Set<PeerName>()

  constructor(fabric: Fabric<VectorMessage>) {
    fabric.listen({
      note: (from, note) => void this.notes.push([from, note]),
      heard: (from) => void this.from.add(from),
      refused: () => {}
    })
  }

  get texts(): string[] {
    return this.notes.map(([, note]) => note)
  }
}

/** Waits without receiving anything. */
async function until(fabric: Fabric<VectorMessage>, what: string, isSo: () => boolean): Promise<void> {
  const deadline = fabric.now() + timeLimit(20_000)
  while (!isSo()) {
    if (fabric.now() > deadline) throw new Error(`${fabric.self} timed out: ${what}`)
    await fabric.sleep(fabric.now() + 5)
  }
}

/** Checks that numbers only grow. */
function isRising(t: ExecutionContext, numbers: readonly number[]): void {
  t.true(numbers.every((value, index) => index === 0 || value > numbers[index - 1]))
}

/** Notes: part of what every fabric promises. */
export function testNotes(test: TestFn, world: FabricWorld): void {
  const titled = (title: string) => `${world.name}: ${title}`

  test(
    titled('notes arrive in order, once, and the sender is named, also between peers that are not neighbours'),
    async (t) => {
      const received = new Map<PeerName, [PeerName, string][]>()
      const sent = Array.from({ length: 20 }, (_, k) => `note ${k} "ü\n`)
      await world.run(ring('a', 'b', 'c', 'd', 'e'), async (fabric) => {
        if (fabric.self !== a && fabric.self !== c) return
        const recorded = new RecordingListener(fabric)
        received.set(fabric.self, recorded.notes)
        const other = fabric.self === a ? c : a
        t.false(fabric.neighbours(0).sendTo.some(({ name }) => name === other))
        for (const note of sent) fabric.tell(other, note)
        await until(fabric, 'all notes', () => recorded.notes.length >= sent.length)
      })
      t.deepEqual(
        received.get(a),
        sent.map((note) => [c, note])
      )
      t.deepEqual(
        received.get(c),
        sent.map((note) => [a, note])
      )
    }
  )

  test(
    titled('a note overtakes vectors that were sent before it, and arrives while no program receives'),
    async (t) => {
      await world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === a) {
          while (fabric.send(b, message(1)) === 'queued');
          fabric.tell(b, 'ahead')
          return void (await next(fabric))
        }
        const recorded = new RecordingListener(fabric)
        await until(fabric, 'the note', () => recorded.notes.length > 0)
        t.deepEqual(recorded.texts, ['ahead'])
        for (let k = 0; k < 8; k++) fabric.recycle((await next(fabric)).message)
        fabric.send(a, message(2))
      })
    }
  )

  test(titled('too many notes at once are dropped, and nothing waits; later ones arrive'), async (t) => {
    const texts: string[] = []
    const many = 3000
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === a) {
        for (let k = 0; k < many; k++) fabric.tell(b, `${k}`)
        for (let k = many; (await fabric.receive(fabric.now() + 20)) === undefined; k++) fabric.tell(b, `${k}`)
        return
      }
      const recorded = new RecordingListener(fabric)
      await until(fabric, 'a later note', () => Number(recorded.texts.at(-1)) >= many)
      texts.push(...recorded.texts)
      fabric.send(a, message(0))
    })
    // The first notes find room.
    t.deepEqual(texts.slice(0, 100).map(Number), [...Array(100).keys()])
    const early = texts.filter((text) => Number(text) < many)
    t.true(early.length < many, `${early.length}`)
    isRising(t, texts.map(Number))
  })

  test(
    titled(
      'a note to an unknown peer or to the sender itself is dropped, and the longest one arrives; longer ones are an error'
    ),
    async (t) => {
      const texts: string[] = []
      await world.run(complete('a', 'b'), async (fabric) => {
        const recorded = new RecordingListener(fabric)
        if (fabric.self === a) {
          fabric.tell(peerName('nobody'), 'lost')
          fabric.tell(a, 'lost')
          t.throws(() => fabric.tell(b, 'é'.repeat(maxNoteBytes / 2 + 1)), {
            name: 'InvariantError',
            message: /65538 bytes/
          })
          fabric.tell(b, '\u0001'.repeat(maxNoteBytes))
          await next(fabric)
        } else {
          await until(fabric, 'a note', () => recorded.notes.length > 0)
          fabric.send(a, message(0))
        }
        texts.push(...recorded.texts)
      })
      t.deepEqual(texts, ['\u0001'.repeat(maxNoteBytes)])
    }
  )

  test(titled('a listener is notified of vectors and notes, and a second listener replaces the first'), async (t) => {
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self === a) {
        const first = new RecordingListener(fabric)
        const second = new RecordingListener(fabric)
        fabric.tell(b, 'go on')
        fabric.tell(c, 'go on')
        await until(fabric, 'b and c', () => second.from.has(b) && second.from.has(c) && second.notes.length > 0)
        t.deepEqual(second.notes, [[c, 'here']])
        t.deepEqual(first.notes, [])
        t.is((await next(fabric)).message.vector.length, vectorLength)
        return
      }
      const recorded = new RecordingListener(fabric)
      await until(fabric, 'any note', () => recorded.notes.length > 0)
      t.true(recorded.from.has(a))
      if (fabric.self === b) fabric.send(a, message(1))
      else fabric.tell(a, 'here')
    })
  })

  test(titled('a peer that is asked to stop receives no more notes'), async (t) => {
    const texts: string[] = []
    let hasStopped = false
    await world.runAndStop(complete('a', 'b'), b, async (fabric, ready) => {
      if (fabric.self === a) {
        while (!hasStopped) {
          fabric.tell(b, 'before')
          await fabric.sleep(fabric.now() + 10)
        }
        for (let k = 0; k < 20; k++) {
          fabric.tell(b, 'after')
          await fabric.sleep(fabric.now() + 10)
        }
        return
      }
      const recorded = new RecordingListener(fabric)
      fabric.signal.addEventListener('abort', () => (hasStopped = true))
      await until(fabric, 'a note', () => recorded.notes.length > 0)
      ready()
      await t.throwsAsync(fabric.receive() as Promise<unknown>, { name: 'StoppedError' })
      // A second listener receives none either.
      const second = new RecordingListener(fabric)
      while (second.notes.length < 1 && texts.length++ < 30) await Promise.resolve()
      texts.splice(0, texts.length, ...recorded.texts, ...second.texts)
    })
    t.deepEqual(new Set(texts), new Set(['before']))
  })
}
