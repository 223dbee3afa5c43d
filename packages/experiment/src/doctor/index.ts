/** Checks what could keep a peer from running well here, and says how to fix it. */
import { messageOf, type PeerName } from '@murmuration/core'
import { readTopologyFile } from '@murmuration/files'
import { createIdentity } from '@murmuration/libp2p'
import { type PeerPlace, placeOf } from '../training/peer-list.js'
import { clockFinding, type TimeServer } from './clock.js'
import type { DoctorFinding } from './finding.js'
import { backendFindings, diskFinding, eventLoopFinding, nodeFinding } from './machine.js'
import {
  addressFinding,
  peerFinding,
  portFinding,
  reachFinding,
  relayFinding,
  routerFinding,
  seedFinding
} from './network.js'

export type { DoctorFinding } from './finding.js'

/** What to check in addition to the machine. */
export interface DoctorOptions {
  /** A topology file, and which of its peers runs here. */
  readonly topology?: string | undefined
  readonly as?: PeerName | undefined
  readonly key?: string | undefined
  /** Multiaddrs of seeds for finding the run; also needed if the file has no addresses. */
  readonly seeds: readonly string[]
  /** Multiaddrs of relays through which others are to reach this peer. */
  readonly relays: readonly string[]
  /** Whether to ask a router to forward this peer's port. */
  readonly upnp: boolean
  /** The folder for results and checkpoints. */
  readonly folder: string
  readonly timeServer: TimeServer
  readonly emit: (finding: DoctorFinding) => void
}

/** Makes all checks, one after the other, and emits each finding at once. Returns whether nothing is wrong. */
export async function examine(options: DoctorOptions): Promise<boolean> {
  let isOk = true
  const emit = (finding: DoctorFinding) => {
    isOk &&= finding.level !== 'wrong'
    options.emit(finding)
  }
  emit(nodeFinding(process.versions.node))
  emit(await eventLoopFinding())
  for (const finding of await backendFindings()) emit(finding)
  emit(await diskFinding(options.folder))
  emit(await clockFinding(options.timeServer))
  const { topology, as, seeds, relays, upnp } = options
  const place = topology !== undefined && as !== undefined ? await examinePlace(topology, as, options, emit) : undefined
  const { identity = await createIdentity(), listen = anywhere } = place ?? {}
  if (upnp) emit(await routerFinding(listen, identity))
  for (const seed of seeds) {
    const finding = await seedFinding(seed, identity)
    emit(finding)
    if (finding.level !== 'wrong') emit(await reachFinding(seed, listen, identity, upnp))
  }
  for (const relay of [...relays, ...(place?.relays ?? [])]) emit(await relayFinding(relay, identity))
  return isOk
}

/** Where a peer listens if no file says it. */
const anywhere = ['/ip4/0.0.0.0/tcp/0']

/** Resolves with the peer's place, if its key fits the file. */
async function examinePlace(
  path: string,
  self: PeerName,
  { key, seeds }: DoctorOptions,
  emit: (finding: DoctorFinding) => void
): Promise<PeerPlace | undefined> {
  const file = await readTopologyFile(path)
  let place: PeerPlace
  try {
    place = await placeOf({ path, file }, self, { key, ...(seeds.length > 0 && { discovery: { seeds, lan: false } }) })
  } catch (error) {
    const fix = 'correct the topology file on all machines, or name the right key with --key'
    emit({ check: 'key', level: 'wrong', found: messageOf(error), fix })
    return undefined
  }
  const { identity, listen, peerList } = place
  emit({ check: 'key', level: 'ok', found: `${self} is ${identity.id}` })
  for (const address of listen) emit(await portFinding(address))
  const entry = peerList.find(({ name }) => name === self)
  emit(addressFinding(entry?.addresses ?? []))
  for (const { name, ...other } of peerList) if (name !== self) emit(await peerFinding(name, other, identity))
  return place
}
