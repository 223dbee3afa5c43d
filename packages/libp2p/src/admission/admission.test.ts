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
import { type Admission, admissionOf, type Certificate, revoke } from './certificates.js'
import { enterRun, tellRun } from './enter-run.js'
import { type Invitation, invite } from './invitation.js'
import { askForAdmission } from './protocol.js'

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

function invitationTo({ key, nodes }: Pick<Run, 'key' | 'nodes'>, terms: Partial<Invitation> = {}): Invitation {
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

/** The answer of a peer to an unknown peer that presents an admission. */
async function presenting(t: ExecutionContext, { peer }: TestNode, present: Admission, identity: Identity) {
  const node = await createNode({ identity, listen: [], limits: defaultLimits })
  t.teardown(async () => void (await node.stop()))
  await node.start()
  const connection = await node.dial(multiaddr(peer.addresses[0]))
  return askForAdmission(connection, { present, certificates: [], wantsFiles: true }, timeLimit(10_000))
}

test('an invited peer is admitted, gets the files of the run, and all peers learn it; no peer waits for an open place', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const identity = await createIdentity()
  const { own, files, certificates } = await entering(invitationTo(run), identity)
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

const refusals: readonly (readonly [
  what: string,
  reason: RegExp,
  (run: Run, key: Identity) => Partial<Invitation> & { signedBy?: Identity }
])[] = [
  ['one that another key has signed', /the run key has not signed/, (run, key) => ({ signedBy: key, run: run.key.id })],
  [
    'one that was changed',
    /the run key has not signed/,
    () => ({ expires: Date.now() + 9 * hour, signature: undefined })
  ],
  ['one for another run', /for another run/, (_, key) => ({ signedBy: key })],
  ['one that has expired', /expired at 20/, () => ({ expires: Date.now() - 1 })],
  ['one for a name that has no place', /has no place for an invited "d"/, () => ({ name: peerName('d') })],
  ['one of a run with other settings', /with other settings/, () => ({ fingerprint: '1'.repeat(64) })],
  ['one issued in the future', /issued in the future/, () => ({ issued: Date.now() + hour })]
]

test('an invalid invitation is refused, with the reason', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const other = await createIdentity()
  const identity = await createIdentity()
  for (const [what, reason, change] of refusals) {
    const { signedBy = run.key, ...terms } = change(run, other)
    const signed = invitationTo({ ...run, key: signedBy }, terms)
    const isChanged = 'signature' in terms
    const given = {
      ...(isChanged ? invitationTo(run) : signed),
      ...(isChanged ? { expires: terms.expires ?? 0 } : {}),
      ...(terms.run === undefined ? {} : { run: terms.run })
    }
    const answer = await presenting(t, run.nodes[0], admissionOf(given, identity), identity)
    t.regex(answer.refused ?? '', reason, what)
    t.is(answer.files, undefined, what)
  }
  const stolen = admissionOf(invitationTo(run), other)
  const answer = await presenting(t, run.nodes[0], { ...stolen, id: identity.id }, identity)
  t.regex(answer.refused ?? '', /is not signed by the key of its peer id/)
  const overheard = await presenting(t, run.nodes[0], stolen, identity)
  t.regex(overheard.refused ?? '', /presents no invitation for its id/)
  t.false(run.nodes.some(({ events }) => events.some(({ kind }) => kind === 'admitted')))
})

test('an invitation is usable once: a second user is refused by all peers that know the first', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const invitation = invitationTo(run)
  const first = await createIdentity()
  const second = await createIdentity()
  await entering(invitation, first)
  await eventOf(run.nodes[1], 'admitted')
  for (const node of run.nodes) {
    const { refused } = await presenting(t, node, admissionOf(invitation, second), second)
    t.is(refused, 'another peer has used the invitation; ask for a new one')
  }
  await t.throwsAsync(entering(invitation, second), {
    instanceOf: RefusedError,
    message: /another peer has used the invitation/
  })
})

test('of two concurrent uses of one invitation at different peers, all peers keep the same', async (t) => {
  const run = await runOf(t)
  for (const { peer } of run.nodes) peer.meet(peerListOf(run.nodes).map((entry) => ({ ...entry, addresses: [] })))
  const invitation = invitationTo(run)
  const users = [await createIdentity(), await createIdentity()]
  for (const [place, user] of users.entries()) {
    t.is((await presenting(t, run.nodes[place], admissionOf(invitation, user), user)).refused, undefined)
  }
  const held = () =>
    run.nodes.map(({ name }) =>
      run.kept
        .get(name)
        ?.map((each) => ('id' in each ? each.id : ''))
        .join()
    )
  t.not(held()[0], held()[1])
  // A new process of b, with b's certificates, connects to a.
  const told = run.kept.get('b') ?? []
  const third = await testNode(t, star, 'b', {
    identity: run.nodes[1].identity,
    admission: {
      runKey: run.key.id,
      places,
      fingerprint,
      files: '',
      certificates: told,
      onCertificates: (all) => void run.kept.set('b', all)
    }
  })
  third.peer.meet(peerListOf([run.nodes[0], third]))
  await eventually('agreement', () => held()[0] === held()[1])
})

test('a revocation voids invitations, used or not, at all peers; a later invitation is valid', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const invitation = invitationTo(run)
  const identity = await createIdentity()
  const { own } = await entering(invitation, identity)
  await eventOf(run.nodes[1], 'admitted')
  const certificate = revoke(run.key, c, Date.now())
  const unknown = await createIdentity()
  const news = {
    run: run.key.id,
    members: [],
    identity: unknown,
    seeds: invitation.seeds,
    signal: new AbortController().signal
  }
  const forged = { ...certificate, before: certificate.before + hour }
  t.is(await tellRun({ ...news, certificate: forged }), 1)
  t.false(run.nodes.some(({ events }) => events.some(({ kind }) => kind === 'put-out')))
  t.is(await tellRun({ ...news, certificate }), 1)
  for (const node of run.nodes) t.like(await eventOf(node, 'put-out'), { peer: c, id: identity.id })
  for (const node of run.nodes) {
    t.is((await presenting(t, node, own, identity)).refused, 'the invitation was revoked')
  }
  const told = run.nodes.flatMap(({ events }) => events.filter((event) => 'id' in event && event.id === unknown.id))
  t.deepEqual(told, [], 'a peer that carries a revocation is not reported')
  const later = invitationTo(run, { issued: Date.now() + 1 })
  t.is((await presenting(t, run.nodes[1], admissionOf(later, unknown), unknown)).refused, undefined)
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
  const first = await guest(invitationTo(run))
  const second = await guest(invitationTo(run, { issued: Date.now() }))
  t.regex(
    (await first.ended)?.message ?? '',
    new RegExp(`"c" was removed from the run: ${second.own.id} has its place; `)
  )

  const identity = await createIdentity()
  const signal = new AbortController().signal
  const news = { run: run.key.id, members: [], identity, seeds: [second.peer.addresses[0]], signal }
  const forged = { ...revoke(identity, c, Date.now()), run: run.key.id }
  await tellRun({ ...news, certificate: forged })
  t.false(second.peer.fabric.signal.aborted, 'the run key has not signed it')
  await tellRun({ ...news, seeds: [run.nodes[0].peer.addresses[0]], certificate: revoke(run.key, c, Date.now()) })
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
  // None ends but to make room.
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
  await t.notThrowsAsync(entering(invitationTo(run, { seeds }), identity))
  t.true(many.slice(3).every(({ status }) => status === 'open'))
})

test('an invitation to a run without peers ends with the reason', async (t) => {
  const run = await runOf(t)
  const invitation = invitationTo(run, { seeds: ['/ip4/127.0.0.1/tcp/9'] })
  const error = await t.throwsAsync(entering(invitation, await createIdentity()), {
    instanceOf: NeighboursMissingError
  })
  t.regex(error?.message ?? '', /no peer of the run was found: \/ip4\/127\.0\.0\.1\/tcp\/9: /)
})

test('an unknown peer may ask once per connection, and again on the next', async (t) => {
  const run = await runOf(t)
  await begin(run)
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: [], limits: defaultLimits })
  t.teardown(async () => void (await node.stop()))
  await node.start()
  const asking = async (connection: Connection, present?: Admission) =>
    askForAdmission(connection, { present, certificates: [], wantsFiles: true }, timeLimit(10_000))
  const dial = () => node.dial(multiaddr(run.nodes[0].peer.addresses[0]))
  const connection = await dial()
  t.regex((await asking(connection)).refused ?? '', /presents no invitation/)
  await t.throwsAsync(asking(connection))
  await eventually('the end of the connection', () => connection.status !== 'open')
  const admission = admissionOf(invitationTo(run), identity)
  const next = await dial()
  t.is((await asking(next, admission)).files, 'the files')
  t.is((await asking(next, admission)).files, 'the files', 'it is no longer unknown')
})
