/** Peers that join by invitation, and peers that try to, over real connections. */
import type { Connection } from '@libp2p/interface'
import { timeLimit } from '@murmuration/contract'
import { NeighboursMissingError, peerName, RefusedError } from '@murmuration/core'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { eventOf, eventually, graph, peerListOf, type TestNode, testNode } from '../cluster.test.support.js'
import { controlProtocol, defaultLimits, type Limits } from '../base/constants.js'
import { createIdentity, type Identity } from '../base/identity.js'
import { bareNode } from '../characterisation/bare.test.support.js'
import { createNode } from '../node/node.js'
import { ask } from '../questions/questions.js'
import { samplesProtocol } from '../questions/sample-counts.js'
import { admissionOf, type Certificate, revoke } from './certificates.js'
import { enterRun, showRun, tellRun } from './enter-run.js'
import { type Invitation, invite } from './invitation.js'

const c = peerName('c')
/** b and c are not neighbours. */
const star = graph(['a', 'b'], ['a', 'c'])
const places = [c]
const hour = 3_600_000
const fingerprint = '0'.repeat(64)

interface Run {
  readonly key: Identity
  readonly nodes: readonly TestNode[]
  /** The last certificates that each peer was told to keep. */
  readonly kept: Map<string, readonly Certificate[]>
}

/** A run of a and b, with a place for c. */
async function runOf(t: ExecutionContext, limits: Partial<Limits> = {}): Promise<Run> {
  const key = await createIdentity()
  const kept = new Map<string, readonly Certificate[]>()
  const node = (name: string) => {
    const onCertificates = (all: readonly Certificate[]) => void kept.set(name, all)
    return testNode(t, star, name, {
      limits,
      admission: { runKey: key.id, places, fingerprint, files: 'the files', onCertificates }
    })
  }
  return { key, nodes: [await node('a'), await node('b')], kept }
}

function invitationTo(
  { key, nodes }: Pick<Run, 'key' | 'nodes'>,
  terms: Partial<Invitation> = {}
): Promise<Invitation> {
  const seeds = [nodes[0].peer.addresses[0]]
  const now = Date.now()
  return invite(key, { name: c, issued: now - 1000, expires: now + hour, fingerprint, members: [], seeds, ...terms })
}

async function begin({ nodes }: Run): Promise<void> {
  const limit = timeLimit(10_000)
  await Promise.all(nodes.map(({ peer }) => peer.connect(peerListOf(nodes), limit)))
}

const entering = (invitation: Invitation, identity: Identity, timeout = 1) => {
  const { signal } = new AbortController()
  return enterRun({
    invitation,
    identity,
    seeds: invitation.seeds,
    timeout,
    signal,
    isRight: async (files) => files === 'the files'
  })
}

test('who holds an invitation sees the files of the run without using it; afterwards whoever uses it is the one', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const invitation = await invitationTo(run)
  const showing = async (shown: Invitation, identity: Identity) => {
    const { signal } = new AbortController()
    const asking = { invitation: shown, identity, seeds: shown.seeds, timeout: 1, signal }
    return showRun({ ...asking, isRight: async (files) => files === 'the files' })
  }
  const [first, second] = [await createIdentity(), await createIdentity()]
  t.is(await showing(invitation, first), 'the files')
  t.is(await showing(invitation, second), 'the files', 'it is still unused')
  t.false(run.nodes.some(({ events }) => events.some(({ kind }) => kind === 'admitted')))
  const now = Date.now()
  const refused: readonly [RegExp, Invitation][] = [
    [/the invitation expired at/, await invitationTo(run, { issued: now - 2000, expires: now - 1000 })],
    [/with other settings or another topology file/, await invitationTo(run, { fingerprint: '1'.repeat(64) })],
    [/for another run/, await invitationTo({ ...run, key: await createIdentity() })],
    [/has not signed/, { ...invitation, expires: invitation.expires + 1 }]
  ]
  for (const [message, shown] of refused)
    await t.throwsAsync(showing(shown, first), { instanceOf: RefusedError, message })
  await entering(invitation, second)
  t.is(await showing(invitation, second), 'the files', 'its holder may come again')
  const used = { instanceOf: RefusedError, message: /another peer has used the invitation; ask for a new one/ }
  await t.throwsAsync(showing(invitation, first), used)
  await tellRun({
    ...{ run: run.key.id, members: [], identity: first, seeds: invitation.seeds, signal: new AbortController().signal },
    certificate: await revoke(run.key, c, Date.now() + 1)
  })
  await t.throwsAsync(showing(invitation, second), { instanceOf: RefusedError, message: /was revoked/ })
})

test('an invited peer presents its invitation to a seed that is a peer of the run', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const identity = await createIdentity()
  const own = await admissionOf(await invitationTo(run), identity)
  const admission = { runKey: run.key.id, places, fingerprint, files: 'the files', own }
  const discovery = { seeds: [run.nodes[0].peer.addresses[0]], lan: false }
  const joined = await testNode(t, star, 'c', { identity, admission, discovery })
  // It knows no address of a peer, only the seed.
  const list = [...peerListOf(run.nodes).map((each) => ({ ...each, addresses: [] }))]
  joined.peer.meet([...list, { name: c, id: identity.id, addresses: [] }])
  const states = () => joined.peer.neighbours().map(({ name, state }) => `${name} ${state}`)
  await eventually('a link to its neighbour', () => states().join() === 'a ready')
  t.pass()
})

test('an invited peer is admitted, gets the files of the run, and all peers learn it; no peer waits for an open place', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const identity = await createIdentity()
  const { own, files, certificates } = await entering(await invitationTo(run), identity)
  t.is(files, 'the files')
  t.is(certificates.length, 1)
  for (const node of run.nodes) t.like(await eventOf(node, 'admitted'), { peer: c, id: identity.id })
  const admission = { runKey: run.key.id, places, fingerprint, files, own, certificates }
  const joined = await testNode(t, star, 'c', { identity, admission })
  const list = [...peerListOf(run.nodes), { name: c, id: identity.id, addresses: [] }]
  await joined.peer.connect(list, timeLimit(10_000))
  const states = () => run.nodes[0].peer.neighbours().map(({ name, state }) => `${name} ${state}`)
  await eventually('links to both', () => states().join() === 'b ready,c ready')
  t.is(run.kept.get('b')?.length, 1)
  t.is((await entering(own.invitation, identity)).files, 'the files', 'it may come again')
})

test('a peer whose invitation is revoked, or whose place another peer has, ends with the reason; one peer alone cannot exclude it', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const guest = async (invitation: Invitation) => {
    const identity = await createIdentity()
    const { own, files, certificates } = await entering(invitation, identity)
    const admission = { runKey: run.key.id, places, fingerprint, files, own, certificates }
    const { peer } = await testNode(t, star, 'c', { identity, admission })
    await peer.connect([...peerListOf(run.nodes), { name: c, id: identity.id, addresses: [] }], timeLimit(10_000))
    const until = peer.fabric.now() + timeLimit(20_000)
    return { own, peer, ended: t.throwsAsync(peer.fabric.receive(until), { instanceOf: RefusedError }) }
  }
  const first = await guest(await invitationTo(run))
  const second = await guest(await invitationTo(run, { issued: Date.now() }))
  t.regex(
    (await first.ended)?.message ?? '',
    new RegExp(`"c" was removed from the run: ${second.own.id} has its place; `)
  )

  const identity = await createIdentity()
  const signal = new AbortController().signal
  const news = { run: run.key.id, members: [], identity, seeds: [second.peer.addresses[0]], signal }
  const forged = { ...(await revoke(identity, c, Date.now())), run: run.key.id }
  await tellRun({ ...news, certificate: forged })
  t.false(second.peer.fabric.signal.aborted, 'the run key has not signed it')
  await tellRun({ ...news, seeds: [run.nodes[0].peer.addresses[0]], certificate: await revoke(run.key, c, Date.now()) })
  t.regex((await second.ended)?.message ?? '', /"c" was removed from the run: the invitation was revoked; ask for/)
})

test('an unknown peer gets nothing, few may stay briefly, and peers of a run without a key admit none', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const [target] = run.nodes
  const unknownPeers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const node = await createNode({ identity: await createIdentity(), listen: [], limits: defaultLimits })
      t.teardown(async () => void (await node.stop()))
      await node.start()
      return node
    })
  )
  const connections: (Connection | undefined)[] = []
  for (const node of unknownPeers)
    connections.push(await node.dial(multiaddr(target.peer.addresses[0])).catch(() => undefined))
  const [first] = connections
  if (first === undefined) return t.fail('no connection')
  await t.throwsAsync(ask(first, samplesProtocol, { timeout: 1000 }))
  await t.throwsAsync(ask(first, controlProtocol, { timeout: 1000 }))
  await eventually('an end of those beyond', () => connections.filter((each) => each?.status === 'open').length <= 16)
  t.true(target.events.some(({ kind }) => kind === 'unknown-peer-refused'))
  await eventually('an end of all', () => connections.every((each) => each?.status !== 'open'))
})

test('unknown peers of one address do not keep those of another from presenting an invitation', async (t) => {
  const run = await runOf(t, { unknownPeerTimeout: 600_000 })
  await begin(run)
  const { peer } = run.nodes[0]
  const many: Connection[] = []
  for (let k = 0; k < 17; k++) {
    const node = await bareNode(t, { localAddress: '127.0.0.2' })
    many.push(await node.dial(multiaddr(peer.addresses[0])))
  }
  await eventually('the end of the oldest', () => many[0].status !== 'open')
  const identity = await createIdentity()
  const seeds = [peer.addresses[0]]
  await t.notThrowsAsync(entering(await invitationTo(run, { seeds }), identity))
  // On a busy machine others end by then because they have presented nothing for too long.
  const forRoom = run.nodes[0].events.filter(
    (event) => event.kind === 'unknown-peer-refused' && event.reason === 'too many unknown peers are connected'
  )
  t.true(forRoom.length <= 3, `${forRoom.length} made room`)
})

test('an invitation to a run without peers ends with the reason', async (t) => {
  const run = await runOf(t)
  const invitation = await invitationTo(run, { seeds: ['/ip4/127.0.0.1/tcp/9'] })
  const error = await t.throwsAsync(entering(invitation, await createIdentity()), {
    instanceOf: NeighboursMissingError
  })
  t.regex(error?.message ?? '', /no peer of the run was found: \/ip4\/127\.0\.0\.1\/tcp\/9: /)
})
