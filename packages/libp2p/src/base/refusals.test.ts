import test from 'ava'
import type { PeerEvent } from './events.js'
import { RefusalReports } from './refusals.js'

const refused = (id: string) => ({ id, address: '/ip4/192.0.2.1/tcp/4001', reason: 'it is not in the peer list' })

/** The ids and counts of the events after these refusals, at first and at the end. */
function eventsOf(ids: readonly string[]) {
  const events: (readonly [string, number])[] = []
  const refusals = new RefusalReports((event: PeerEvent) => {
    if (event.kind === 'unknown-peer-refused') events.push([event.id, event.count])
  })
  for (const id of ids) refusals.add(refused(id))
  const atFirst = [...events]
  refusals.stop()
  return { atFirst, rest: events.slice(atFirst.length) }
}

test('the first unknown peers are reported one by one, further ones with their number', (t) => {
  const ids = Array.from({ length: 500 }, (_, index) => `id ${index}`)
  const { atFirst, rest } = eventsOf(ids)
  t.deepEqual(
    atFirst,
    [0, 1, 2, 3].map((index) => [`id ${index}`, 1])
  )
  t.deepEqual(rest, [['id 499', 496]])
})

test('a peer that tries again is not reported again, and nothing is left to report', (t) => {
  t.deepEqual(eventsOf(['a', 'a', 'b', 'a']), {
    atFirst: [
      ['a', 1],
      ['b', 1]
    ],
    rest: []
  })
})

test('an endless number of ids takes bounded memory: those beyond the remembered ones count each time', (t) => {
  const ids = Array.from({ length: 1000 }, (_, index) => `id ${index}`)
  const { rest } = eventsOf([...ids, ...ids, 'late', 'late'])
  t.deepEqual(rest, [['late', 998]])
})
