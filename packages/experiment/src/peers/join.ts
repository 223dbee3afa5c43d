import { join } from 'node:path'
import { messageOf } from '@murmuration/core'
import {
  decodeInvitation,
  enterRun,
  type Identity,
  type Invitation,
  localIdentity,
  readIdentity
} from '@murmuration/libp2p'
import { makeRealPlan } from '../make-plan.js'
import type { RunRequest } from '../training/plan.js'
import type { PeerCommandOptions } from './peer-command.js'
import { identityDirectory } from '../training/peer-list.js'
import { runFolder } from './admission/run-folder.js'
import { keyNameOf } from './admission/key-name.js'
import { requestFrom } from './admission/received-files.js'
import { fingerprintOf } from './admission/run-files.js'

/** How this machine's peer joins a run. */
export interface AcceptOptions extends Pick<PeerCommandOptions, 'key' | 'wait' | 'emit' | 'signal'> {
  /** Multiaddrs for finding the run, in place of the invitation's. */
  readonly seeds: readonly string[]
  /** The data of this machine, in place of the run's. */
  readonly data?: string | undefined
  /** The model that the run starts from, if it does. */
  readonly init?: string | undefined
}

/** A run that admitted this machine's peer, and the options of `runPeerCommand` for it. */
export interface AcceptedInvitation {
  readonly request: RunRequest
  readonly place: Pick<PeerCommandOptions, 'as' | 'identity' | 'entered' | 'discovery'>
}

/** Joins a run by invitation. Rejects with the typed errors of core. */
export async function acceptInvitation(
  line: string,
  { seeds: ownSeeds, data, init, key, emit, signal, wait }: AcceptOptions
): Promise<AcceptedInvitation> {
  const invitation = decodeInvitation(line)
  const identity = await identityFor(invitation, key)
  const seeds = ownSeeds.length > 0 ? ownSeeds : invitation.seeds
  const folder = join(runFolder(invitation.run), identity.id)
  const isRight = (files: string) => isInvitedTo(invitation, files, folder, (text) => emit({ kind: 'note', text }))
  emit({ kind: 'note', text: `${invitation.name} is ${identity.id} and looks for the run at ${seeds.join(', ')}` })
  const { files, own, certificates } = await enterRun({ invitation, identity, seeds, timeout: wait, signal, isRight })
  emit({ kind: 'note', text: `${invitation.name} was admitted` })
  const request = await requestFrom(files, folder)
  return {
    request: { ...request, ...(data === undefined ? {} : { data }), init },
    place: {
      as: invitation.name,
      identity,
      entered: { own, certificates },
      discovery: { seeds, lan: false }
    }
  }
}

/** Whether the files belong to the run that the invitation is for. */
async function isInvitedTo(
  { fingerprint }: Invitation,
  files: string,
  folder: string,
  note: (text: string) => void
): Promise<boolean> {
  try {
    return fingerprintOf(await makeRealPlan(await requestFrom(files, folder))) === fingerprint
  } catch (error) {
    note(`the files that a peer sent cannot be used: ${messageOf(error)}`)
    return false
  }
}

function identityFor(invitation: Invitation, key: string | undefined): Promise<Identity> {
  return key === undefined ? localIdentity(identityDirectory(), keyNameOf(invitation)) : readIdentity(key)
}
