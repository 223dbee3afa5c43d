/** Checks of this peer's place in a topology. */
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { messageOf, type Milliseconds, type PeerName } from '@murmuration/core'
import {
  type Cause,
  type Identity,
  type PeerListEntry,
  type CallProblem,
  probe,
  probeReach,
  probeRelay,
  probeRouters,
  probeSeed
} from '@murmuration/libp2p'
import type { DoctorFinding } from './finding.js'

/** Round trips from this length on make rounds of small models many times as long. */
const longRoundTrip: Milliseconds = 150
const timeout: Milliseconds = 5000

interface HostPort {
  readonly host: string
  readonly port: number
}

/** Host and port of a TCP multiaddr. */
export function placeIn(address: string): HostPort | undefined {
  const [, , host, , port] = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/(tcp)\/(\d+)/.exec(address) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

/** Whether this machine can listen on the file's address. */
export async function portFinding(address: string): Promise<DoctorFinding> {
  const check = `port ${address}`
  const place = placeIn(address)
  if (place === undefined) return { check, level: 'unknown', found: 'only TCP ports can be checked' }
  const problem = await new Promise<string | undefined>((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(messageOf(error)))
    server.listen(place.port, place.host, () => server.close(() => resolve(undefined)))
  })
  if (problem === undefined) return { check, level: 'ok', found: 'the port is free' }
  const fix = problem.includes('EADDRINUSE')
    ? 'a program already listens there, perhaps this peer: end it, or choose another port in the topology file, on all machines'
    : 'set "listen" in the topology file to an address of this machine'
  return { check, level: 'wrong', found: problem, fix }
}

/** Whether others can call this peer at the file's addresses, as far as this machine can know. */
export function addressFinding(
  addresses: readonly string[],
  localHosts: readonly string[] = localAddresses()
): DoctorFinding {
  const check = 'addresses'
  if (addresses.length === 0)
    return { check, level: 'ok', found: 'the file has no address of this peer; the others learn it from a seed' }
  const hosts = addresses.flatMap((address) => placeIn(address)?.host ?? [])
  const foreign = hosts.filter((host) => /^[\d.]+$|:/.test(host) && !localHosts.includes(host))
  if (foreign.length === 0) return { check, level: 'ok', found: `this machine has ${hosts.join(', ')}` }
  const fix =
    'if this is the address of a router, forward the port to this machine; otherwise correct the topology file, on all machines'
  return { check, level: 'note', found: `${foreign.join(', ')} is not an address of this machine`, fix }
}

function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
}

/** Whether another peer can be reached, has the file's identity and admits this peer; and how far away it is. */
export async function peerFinding(
  name: PeerName,
  { id, addresses }: Pick<PeerListEntry, 'id' | 'addresses'>,
  identity: Identity
): Promise<DoctorFinding> {
  const check = `peer ${name}`
  if (addresses.length === 0)
    return { check, level: 'unknown', found: 'the file has no address of this peer; seeds know it' }
  const problems: CallProblem[] = []
  for (const address of addresses) {
    const problem = await probe(identity, { id, address }, timeout)
    if (problem === undefined) return roundTripFinding(check, address, await roundTrip(address))
    problems.push({ ...problem, text: `${address}: ${problem.text}` })
  }
  const causes = problems.flatMap((problem) => problem.causes)
  return { check, level: 'wrong', found: problems.map(({ text }) => text).join('; '), fix: fixOf(causes, name) }
}

/** Whether a seed answers at an address. */
export async function seedFinding(address: string, identity: Identity): Promise<DoctorFinding> {
  const check = `seed ${address}`
  const problem = await probeSeed(identity, address, timeout)
  if (problem !== undefined) return { check, level: 'wrong', found: problem.text, fix: fixOfSeed(problem.causes) }
  const finding = roundTripFinding(check, address, await roundTrip(address))
  if (address.includes('/p2p/')) return finding
  const fix =
    'use the address as "murmur seed" prints it, with the id at its end, so that no other machine can pose as the seed'
  return { ...finding, level: 'note', fix }
}

/** Whether a seed can call this peer where it listens, or where a router forwards its port. */
export async function reachFinding(
  seed: string,
  listen: readonly string[],
  identity: Identity,
  upnp = false
): Promise<DoctorFinding> {
  const check = 'reach'
  const result = await probeReach(identity, { seed, listen, upnp }, timeout)
  if (typeof result === 'string') {
    const found = `could not ask the seed at ${seed} to connect to this peer: ${result}`
    return { check, level: 'unknown', found }
  }
  const { host, port, isReached } = result
  if (isReached) return { check, level: 'ok', found: `the seed can connect to this peer at ${host}, port ${port}` }
  const fix =
    `forward TCP port ${port} of the router to this machine, and open it in its firewall (--listen, or "listen" in the file, fixes the port); ` +
    'or use a relay: --via, with --relay-vectors on both sides; or make all other peers reachable'
  return { check, level: 'note', found: `the seed cannot connect to this peer at ${host}, port ${port}`, fix }
}

/** Whether a router forwards a port to this machine on request. */
export async function routerFinding(listen: readonly string[], identity: Identity): Promise<DoctorFinding> {
  const check = 'upnp'
  const addresses = await probeRouters(identity, listen)
  if (addresses.length > 0)
    return { check, level: 'ok', found: `a router forwards ${addresses.join(', ')} to this machine` }
  const found = 'no router forwarded a port within 15 s'
  const fix =
    'enable UPnP in the router, or forward the port there by hand; if the router has no public address, use a relay (--via)'
  return { check, level: 'note', found, fix }
}

/** Whether a relay has a reservation for this peer. */
export async function relayFinding(address: string, identity: Identity): Promise<DoctorFinding> {
  const check = `relay ${address}`
  const problem = await probeRelay(identity, address, timeout)
  if (problem === undefined)
    return { check, level: 'ok', found: 'it has a place for this peer: others can connect through it' }
  return { check, level: 'wrong', found: problem.text, fix: fixOfRelay(problem.causes) }
}

/** @param time - from here to the address and back; undefined if it could not be measured */
export function roundTripFinding(check: string, address: string, time: Milliseconds | undefined): DoctorFinding {
  if (time === undefined) return { check, level: 'ok', found: `reached at ${address}` }
  const found = `reached at ${address}; round trip ${time.toFixed(1)} ms`
  if (time < longRoundTrip) return { check, level: 'ok', found }
  const fix =
    'the link is slow: use local steps ("murmur algorithms" lists diloco, local-sgd); "murmur sim" shows the cost'
  return { check, level: 'note', found, fix }
}

/** The time of a TCP handshake, the shortest of three. */
async function roundTrip(address: string): Promise<Milliseconds | undefined> {
  const place = placeIn(address)
  if (place === undefined) return undefined
  const times: Milliseconds[] = []
  for (let time = 0; time < 3; time++) times.push(await connectTime(place))
  return Math.min(...times)
}

function connectTime(place: HostPort): Promise<Milliseconds> {
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

/** As {@link fixOf}, for a relay. */
function fixOfRelay(causes: readonly Cause[]): string {
  if (causes.includes('not-a-relay'))
    return 'start the relay there with --relay: "murmur seed --relay", or "murmur peer --relay"'
  if (causes.includes('relay-full')) return 'name another relay, or stop peers that use this one'
  return fixOfSeed(causes).replaceAll('murmur seed', 'murmur seed --relay')
}

/** As {@link fixOf}, for a seed. */
function fixOfSeed(causes: readonly Cause[]): string {
  if (causes.includes('wrong-id')) return 'use the address as "murmur seed" prints it there: the id at its end differs'
  if (causes.includes('not-listening'))
    return 'start "murmur seed" there, or correct the port; in a container or behind a router, publish the port'
  if (causes.includes('no-route')) return 'check this machine’s routes, its VPN and the address'
  if (causes.includes('unknown-host')) return 'correct the name in the address, or use an IP address'
  if (causes.includes('closed'))
    return 'a peer of a run introduces only peers of its topology file: run the doctor with the file and --as NAME, or name a seed'
  if (causes.includes('timeout')) return 'open the port in the firewall of the seed’s machine and its provider'
  return 'check which program listens there: it must be "murmur seed" or a peer of the run'
}

/** How to fix a peer that could not be reached. */
export function fixOf(causes: readonly Cause[], name: PeerName): string {
  if (causes.includes('wrong-id'))
    return `run "murmur identity ${name}" on its machine, and put the id that it prints into the file on all machines`
  if (causes.includes('not-listening'))
    return `start ${name}, or correct its port; in a container or behind a router, publish the port`
  if (causes.includes('no-route')) return 'check this machine’s routes, its VPN and the address in the file'
  if (causes.includes('unknown-host')) return 'correct the name in the file, or use an IP address'
  if (causes.includes('closed'))
    return `put this peer’s id, as "murmur identity" prints it, into the topology file of ${name}, and start ${name} again`
  if (causes.includes('timeout')) return `open the port in the firewall of ${name}’s machine and its provider`
  return `check which program listens at the address of ${name}`
}
