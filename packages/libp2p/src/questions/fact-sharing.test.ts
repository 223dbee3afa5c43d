import { peerName, StoppedError } from '@murmuration/core'
import test from 'ava'
import { FactSharing } from './fact-sharing.js'
import type { PeerSet } from '../links/peer-set.js'

test('a question that a neighbour does not answer ends when this peer is stopped', async (t) => {
  const stopping = new AbortController()
  let asked = 0
  const newStream = () => new Promise(() => void (asked++, stopping.abort(new StoppedError())))
  const session = { name: peerName('b'), connections: [{ status: 'open', newStream }] }
  const peers = { sessions: new Map([[session.name, session]]) } as unknown as PeerSet
  const sharing = new FactSharing({ signal: stopping.signal, sleep: () => Promise.resolve() }, peers, 60_000)
  await sharing.askAll('/a/protocol', { missing: [], merge: () => {} })
  await t.throwsAsync(sharing.learn('/a/protocol', { missing: [session.name], merge: () => {} }, 0, String), {
    name: 'NeighboursMissingError'
  })
  t.is(asked, 1)
})
