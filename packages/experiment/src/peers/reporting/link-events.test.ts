import { peerName } from '@murmuration/core'
import test from 'ava'
import type { RunEvent } from '../../base/events.js'
import { linkEvents } from './link-events.js'

test('a line about refused peers says how many there were', (t) => {
  const events: RunEvent[] = []
  const listener = linkEvents(peerName('a'), (event) => events.push(event))
  const last = { id: '12D3', address: '/ip4/192.0.2.1/tcp/4001', reason: 'it is not in the peer list' }
  for (const count of [1, 532]) listener({ kind: 'unknown-peer-refused', ...last, count })
  const end = '12D3 at /ip4/192.0.2.1/tcp/4001: it is not in the peer list'
  t.deepEqual(events, [
    { kind: 'note', text: `a refused ${end}` },
    { kind: 'note', text: `a refused 532 unknown peers, the last: ${end}` }
  ])
})
