/** A peer that answers every note, in a separate process, so that it can be killed. */
import { type PeerName, peerName } from '@murmuration/core'
import { graph, quick, schemaOf } from '../cluster.test.support.js'
import { decodeIdentity } from '../base/identity.js'
import { createPeer } from '../create-peer.js'
import type { PeerListEntry } from '../addresses/peer-list.js'

/** The first message to the process. */
export interface Start {
  readonly name: PeerName
  readonly key: string
  readonly listen: readonly string[]
  readonly edges: readonly (readonly [string, string])[]
}

async function run({ name, key, listen, edges }: Start): Promise<void> {
  const peer = await createPeer({
    self: peerName(name),
    identity: decodeIdentity(key, 'the test'),
    topology: graph(...edges),
    seed: 1,
    listen,
    runSettings: { settings: { run: 'test' }, schema: schemaOf(8), start: '00' },
    limits: quick()
  })
  peer.fabric.listen({
    note: (from, note) => peer.fabric.tell(from, `echo of ${note}`),
    heard: () => {},
    refused: () => {}
  })
  process.on('message', (peerList: PeerListEntry[]) => void peer.connect(peerList, 60_000))
  process.send?.(peer.addresses)
}

process.once('message', (start: Start) => void run(start))
process.on('disconnect', () => process.exit())
