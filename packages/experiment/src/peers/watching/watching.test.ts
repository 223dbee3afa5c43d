import { createIdentity, createPeer } from '@murmuration/libp2p'
import { watchAddress } from '@murmuration/watch'
import test from 'ava'
import type { RunEvent } from '../../base/events.js'
import { epochText } from '../../base/epoch-text.js'
import { makePlan } from '../../make-plan.js'
import { pageAt } from './page.js'
import { factsOf, Watching } from './watching.js'

test('the page has an epoch that begins at its peer, and lines about it and about the end of training', async (t) => {
  const topology = new URL('../../../../../topologies/ring-4.yaml', import.meta.url).pathname
  const plan = await makePlan({ topology })
  const [self, lost, ...rest] = plan.file.topology.peers
  const peer = await createPeer({
    self,
    topology: plan.file.topology,
    identity: await createIdentity(),
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: {}, schema: [{ name: 'x', shape: [1] }], start: '00' }
  })
  t.teardown(() => peer.close())
  const watching = new Watching(peer, plan)
  const url = await watching.serve(pageAt(watchAddress('0')), factsOf(plan, self, {}))
  const { body } = await fetch(`${url}events`)
  const members = [self, ...rest]
  const change = { epoch: 1, round: 60, members, servers: [], givers: members, lost: [lost], joined: [], seconds: 0.7 }
  const event = { kind: 'epoch', peer: self, ...change } as const
  watching.show(event)
  const step = { kind: 'step', peer: self, round: 61, phase: 'train', ends: 'X is done' }
  watching.show(step as unknown as RunEvent)
  watching.end()
  let text = ''
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(piece)
  t.true(text.includes(JSON.stringify({ number: 1, members })))
  t.true(text.includes(epochText(event)))
  t.true(text.includes(`${self}: training ends after round 62: X is done`))
})
