/** Checks of this peer's place in a topology. */
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { messageOf, type Milliseconds, type PeerName } from '@murmuration/core'
import {
  type Cause,
  type Identity,
  type PeerListEntry,
  type Problem,
  probe,
  probeReach,
  probeRelay,
  probeRouters,
  probeSeed
} from '@murmuration/libp2p'
import type { Finding } from './finding.js'

/** Round trips from this length on make rounds of small models many times as long. */
const longRoundTrip: Milliseconds = 150
const timeout: Milliseconds = 5000

interface Place {
  readonly host: string
  readonly port: number
}

/** Host and port of a TCP multiaddr. */
export function placeIn(address: string): Place | undefined {
  const [, , host, , port] = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/(tcp)\/(\d+)/.exec(address) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

/** Whether this machine can listen on the file's address. */
export async function portFinding(address: string): Promise<Finding> {
  const check = `port ${address}`
  const place = placeIn(address)
  if (place === undefined) return { check, level: 'unknown', found: 'only TCP ports can be tried' }
  const problem = await new Promise<string | undefined>((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(messageOf(error)))
    server.listen(place.port, place.host, () => server.close(() => resolve(undefined)))
  })
  if (problem === undefined) return { check, level: 'ok', found: 'free to listen on' }
  const mend = problem.includes('EADDRINUSE')
    ? 'a program listens there already, perhaps this peer: end it, or give another port in the topology file, on all machines'
    : 'give an address of this machine in "listen" of the topology file'
  return { check, level: 'wrong', found: problem, mend }
}

/** Whether others can call this peer at the file's addresses, as far as this machine can know. */
export function addressFinding(addresses: readonly string[], own: readonly string[] = ownAddresses()): Finding {
  const check = 'addresses'
  if (addresses.length === 0)
    return { check, level: 'ok', found: 'the file has none of this peer: a seed tells where it is' }
  const hosts = addresses.flatMap((address) => placeIn(address)?.host ?? [])
  const foreign = hosts.filter((host) => /^[\d.]+$|:/.test(host) && !own.includes(host))
  if (foreign.length === 0) return { check, level: 'ok', found: `this machine has ${hosts.join(', ')}` }
  const mend =
    'if it is a router’s, forward the port to this machine; otherwise correct the topology file, on all machines'
  return { check, level: 'note', found: `${foreign.join(', ')} is no address of this machine`, mend }
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
}

/** Whether another peer can be reached, has the file's identity and admits this peer; and how far away it is. */
export async function peerFinding(
  name: PeerName,
  { id, addresses }: Pick<PeerListEntry, 'id' | 'addresses'>,
  identity: Identity
): Promise<Finding> {
  const check = `peer ${name}`
  if (addresses.length === 0)
    return { check, level: 'unknown', found: 'the file has no address of it; a seed tells it' }
  const problems: Problem[] = []
  for (const address of addresses) {
    const problem = await probe(identity, { id, address }, timeout)
    if (problem === undefined) return roundTripFinding(check, address, await roundTrip(address))
    problems.push({ ...problem, text: `${address}: ${problem.text}` })
  }
  const causes = problems.flatMap((problem) => problem.causes)
  return { check, level: 'wrong', found: problems.map(({ text }) => text).join('; '), mend: mendOf(causes, name) }
}

/** Whether a seed answers at an address. */
export async function seedFinding(address: string, identity: Identity): Promise<Finding> {
  const check = `seed ${address}`
  const problem = await probeSeed(identity, address, timeout)
  if (problem !== undefined) return { check, level: 'wrong', found: problem.text, mend: mendOfSeed(problem.causes) }
  const finding = roundTripFinding(check, address, await roundTrip(address))
  if (address.includes('/p2p/')) return finding
  const mend = 'give the address as "murmur seed" prints it, with the id at its end: nobody else can answer then'
  return { ...finding, level: 'note', mend }
}

/** Whether a seed can call this peer where it listens, or where a router forwards its port. */
export async function reachFinding(
  seed: string,
  listen: readonly string[],
  identity: Identity,
  upnp = false
): Promise<Finding> {
  const check = 'reach'
  const called = await probeReach(identity, { seed, listen, upnp }, timeout)
  if (typeof called === 'string') {
    const found = `the seed at ${seed} could not be asked to call this peer: ${called}`
    return { check, level: 'unknown', found }
  }
  const { host, port, isReached } = called
  if (isReached) return { check, level: 'ok', found: `the seed can call this peer at ${host}, port ${port}` }
  const mend =
    `forward TCP port ${port} of the router to this machine, and open it in its firewall (with --listen, or listen in the file, the port stays the same); ` +
    'or be reached through a relay: --via, with --relay-vectors on both sides; or have all others be called'
  return { check, level: 'note', found: `the seed cannot call this peer at ${host}, port ${port}`, mend }
}

/** Whether a router forwards a port to this machine on request. */
export async function routerFinding(listen: readonly string[], identity: Identity): Promise<Finding> {
  const check = 'upnp'
  const places = await probeRouters(identity, listen)
  if (places.length > 0) return { check, level: 'ok', found: `a router forwards ${places.join(', ')} to this machine` }
  const found = 'no router has forwarded a port within 15 s'
  const mend =
    'switch UPnP on in the router, or forward the port there by hand; where the router has no public address itself neither helps: be reached through a relay (--via)'
  return { check, level: 'note', found, mend }
}

/** Whether a relay has a reservation for this peer. */
export async function relayFinding(address: string, identity: Identity): Promise<Finding> {
  const check = `relay ${address}`
  const problem = await probeRelay(identity, address, timeout)
  if (problem === undefined)
    return { check, level: 'ok', found: 'it has a place for this peer: others can call it there' }
  return { check, level: 'wrong', found: problem.text, mend: mendOfRelay(problem.causes) }
}

/** @param time - from here to the address and back; undefined if it could not be measured */
export function roundTripFinding(check: string, address: string, time: Milliseconds | undefined): Finding {
  if (time === undefined) return { check, level: 'ok', found: `there, at ${address}` }
  const found = `there, at ${address}; round trip ${time.toFixed(1)} ms`
  if (time < longRoundTrip) return { check, level: 'ok', found }
  const mend =
    'a slow link: use local steps ("murmur algorithms" lists diloco, local-sgd), and "murmur sim" to see what it costs'
  return { check, level: 'note', found, mend }
}

/** The time of a TCP handshake, the shortest of three. */
async function roundTrip(address: string): Promise<Milliseconds | undefined> {
  const place = placeIn(address)
  if (place === undefined) return undefined
  const times: Milliseconds[] = []
  for (let time = 0; time < 3; time++) times.push(await connectTime(place))
  return Math.min(...times)
}

function connectTime(place: Place): Promise<Milliseconds> {
  const start = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ ...place, timeout })
    const end = () => {
      resolve(performance.now() - start)
      socket.destroy()
    }
    for (const event of ['connect', 'error', 'timeout']) socket.once(event, end)
  })
}

/** As {@link mendOf}, for a relay. */
function mendOfRelay(causes: readonly Cause[]): string {
  if (causes.includes('not-a-relay'))
    return 'start it there with --relay: "murmur seed --relay", or "murmur peer --relay"'
  if (causes.includes('relay-full')) return 'name another relay, or stop peers that are reached through this one'
  return mendOfSeed(causes).replaceAll('murmur seed', 'murmur seed --relay')
}

/** As {@link mendOf}, for a seed. */
function mendOfSeed(causes: readonly Cause[]): string {
  if (causes.includes('wrong-id'))
    return 'give the address as "murmur seed" prints it there: the id at its end is another'
  if (causes.includes('not-listening'))
    return 'start "murmur seed" there, or correct the port; in a container or behind a router publish the port'
  if (causes.includes('no-route')) return 'look at this machine’s routes, its VPN and the address'
  if (causes.includes('unknown-host')) return 'correct the name in the address, or give an IP address'
  if (causes.includes('closed'))
    return 'a peer of a run introduces the peers of its topology file alone: examine with the file and --as NAME, or give the address of a seed'
  if (causes.includes('timeout')) return 'open the port in the firewall of the seed’s machine and its provider'
  return 'look at what listens there: "murmur seed" introduces, and so does a peer of the run'
}

/** How to fix a peer that could not be reached. */
export function mendOf(causes: readonly Cause[], name: PeerName): string {
  if (causes.includes('wrong-id'))
    return `run "murmur identity ${name}" on its machine, and put the id that it prints into the file on all machines`
  if (causes.includes('not-listening'))
    return `start ${name}, or correct its port; in a container or behind a router publish the port`
  if (causes.includes('no-route')) return 'look at this machine’s routes, its VPN and the address in the file'
  if (causes.includes('unknown-host')) return 'correct the name in the file, or give an IP address'
  if (causes.includes('closed'))
    return `put this peer’s id, as "murmur identity" prints it, into the topology file of ${name}, and start ${name} again`
  if (causes.includes('timeout')) return `open the port in the firewall of ${name}’s machine and its provider`
  return `look at what listens at the address of ${name}`
}
