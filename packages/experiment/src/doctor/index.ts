/** What may keep a peer from running well here, and how to mend it. */
import { messageOf, type PeerName } from '@murmuration/core'
import { readTopologyFile } from '@murmuration/files'
import { type Place, placeOf } from '../peers/peer-list.js'
import { clockFinding, type TimeServer } from './clock.js'
import type { Finding } from './finding.js'
import { backendFindings, diskFinding, eventLoopFinding, nodeFinding } from './machine.js'
import { addressFinding, peerFinding, portFinding } from './network.js'

export type { Finding } from './finding.js'

/** What to look at beside the machine. */
export interface DoctorOptions {
  /** A topology file, and which peer of it runs here. */
  readonly topology?: string | undefined
  readonly as?: PeerName | undefined
  readonly key?: string | undefined
  /** Where results and checkpoints are to go. */
  readonly folder: string
  readonly timeServer: TimeServer
  readonly emit: (finding: Finding) => void
}

/** Makes all checks, one after the other, and hands on each finding as it is made. Whether nothing is wrong. */
export async function examine(options: DoctorOptions): Promise<boolean> {
  let isWell = true
  const emit = (finding: Finding) => {
    isWell &&= finding.level !== 'wrong'
    options.emit(finding)
  }
  emit(nodeFinding(process.versions.node))
  emit(await eventLoopFinding())
  for (const finding of await backendFindings()) emit(finding)
  emit(await diskFinding(options.folder))
  emit(await clockFinding(options.timeServer))
  const { topology, as } = options
  if (topology !== undefined && as !== undefined) await examinePlace(topology, as, options.key, emit)
  return isWell
}

async function examinePlace(path: string, self: PeerName, key: string | undefined, emit: (finding: Finding) => void) {
  const file = await readTopologyFile(path)
  let place: Place
  try {
    place = await placeOf({ path, file }, self, { key })
  } catch (error) {
    const mend = 'correct the topology file on all machines, or give the right key with --key'
    return emit({ check: 'key', level: 'wrong', found: messageOf(error), mend })
  }
  const { identity, listen, peerList } = place
  emit({ check: 'key', level: 'ok', found: `${self} is ${identity.id}` })
  for (const address of listen) emit(await portFinding(address))
  const own = peerList.find(({ name }) => name === self)
  emit(addressFinding(own?.addresses ?? []))
  for (const { name, ...entry } of peerList) if (name !== self) emit(await peerFinding(name, entry, identity))
}
