/** Keys that sign later, as those that a browser keeps: nothing is told before it is signed, and all of it then. */
import test from 'ava'
import { testSigner } from './network.test.support.js'
import { Room } from './room.test.support.js'

/** A room of "a", "b" and "c" in which "a" signs only when it is let. */
function roomWithLateKey() {
  const room = new Room('abc', {}, 'bc')
  const signer = testSigner(room.names[0])
  let waiting: (() => void)[] = []
  let later = 0
  const sign = (text: string) => new Promise<string>((resolve) => waiting.push(() => resolve(signer.sign(text))))
  room.enter('a', { signer: { ...signer, sign }, onSigned: () => void later++ })
  const notes: string[] = []
  room.onNote = (from, _to, note) => void (from === 'a' && notes.push(note))
  const letSign = async () => {
    const due = waiting
    waiting = []
    for (const resolve of due) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { room, notes, letSign, later: () => later, asked: () => waiting.length }
}

test('a record is told once it is signed, not before', async (t) => {
  const { room, notes, letSign, later } = roomWithLateKey()
  room.run(2000)
  t.true(notes.length > 4, 'it beats')
  t.false(notes.some((note) => note.includes('"name":"a"')))
  t.is(room.member('b').recordOf(room.names[0]), undefined)
  await letSign()
  t.is(later(), 1)
  room.deliver()
  t.is(room.member('b').recordOf(room.names[0])?.status, 'joining')
  t.deepEqual(room.faults, [])
})

test('of two records the later one is told, in whatever order they are signed', async (t) => {
  const { room, letSign, later } = roomWithLateKey()
  await letSign()
  room.run(1000)
  room.member('a').begin(0, room.now)
  room.member('a').leave(3, room.now)
  room.deliver()
  t.is(room.member('c').recordOf(room.names[0])?.status, 'joining')
  await letSign()
  room.deliver()
  t.deepEqual([later(), room.member('c').recordOf(room.names[0])?.status], [3, 'left'])
  t.deepEqual(room.faults, [])
})

test('a vote is told once it is signed, and others count it', async (t) => {
  const { room, letSign } = roomWithLateKey()
  await letSign()
  room.begin()
  await letSign()
  room.run(2000)
  room.end('c')
  room.run(30_000)
  t.false(room.member('b').isDead(room.names[2]))
  await letSign()
  room.run(1000)
  t.true(room.member('b').isDead(room.names[2]))
  t.deepEqual(room.faults, [])
})

test('the answer to a ping is sent once it is signed', async (t) => {
  const { room, letSign, later } = roomWithLateKey()
  const [, b, c] = room.names
  const pongs = () =>
    room
      .member('a')
      .take()
      .filter(({ note }) => note.includes('pong'))
  t.is(room.member('a').receive(c, JSON.stringify({ kind: 'ping', asker: b, nonce: 7 }), room.now), undefined)
  t.deepEqual(pongs(), [])
  await letSign()
  t.is(later(), 2, 'the record, and the answer')
  t.deepEqual(
    pongs().map(({ to }) => to),
    [c]
  )
})
