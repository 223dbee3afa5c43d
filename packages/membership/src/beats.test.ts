import test from 'ava'
import { Room } from './room.test.support.js'
import { trustingSigner } from './trusting-signer.js'

test('a beat tells how far a peer is, and is signed and checked once in eight', (t) => {
  let signed = 0
  let checked = 0
  const signer = {
    sign: (text: string) => (signed++, trustingSigner.sign(text)),
    verify: (...[peer, text, signature]: Parameters<typeof trustingSigner.verify>) => (
      checked++,
      trustingSigner.verify(peer, text, signature)
    )
  }
  const room = new Room('abc', { signer }).begin()
  ;[signed, checked] = [0, 0]
  for (let round = 1; round <= 40; round++) {
    for (const name of 'abc') room.report(name, { round, samples: 32 * round })
    room.run(500)
    const heard = room.member('a').recordOf(room.names[1])
    t.deepEqual([heard?.round, heard?.samples], [round, 32 * round])
  }
  // 40 beats of each of three peers, of which every eighth is signed; both others check each record.
  t.true(signed >= 12 && signed <= 18, `${signed} signatures`)
  t.is(checked, 2 * signed)
})
