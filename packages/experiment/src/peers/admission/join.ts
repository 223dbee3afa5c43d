import { join } from 'node:path'
import { messageOf, peerName } from '@murmuration/core'
import {
  decodeInvitation,
  enterRun,
  type Identity,
  type Invitation,
  localIdentity,
  readIdentity
} from '@murmuration/libp2p'
import { hashText } from '@murmuration/vectors'
import { makeRealPlan } from '../../training/make-plan.js'
import type { RunRequest } from '../../training/plan.js'
import type { PeerOptions } from '../peer-command.js'
import { identityDirectory } from '../peer-list.js'
import { runFolder } from './certificate-store.js'
import { fingerprintOf, requestFrom } from './run-files.js'

/** How this machine's peer comes into a run. */
export interface AcceptOptions extends Pick<PeerOptions, 'key' | 'wait' | 'emit' | 'signal'> {
  /** Other multiaddrs by which the run is found than those of the invitation. */
  readonly seeds: readonly string[]
  /** The data of this machine, in place of what the run says. */
  readonly data?: string | undefined
}

/** A run into which this machine's peer was let, and what `runPeerCommand` is to be given for it. */
export interface AcceptedInvitation {
  readonly request: RunRequest
  readonly place: Pick<PeerOptions, 'as' | 'identity' | 'entered' | 'discovery'>
}

/** Comes into a run by invitation. Rejects with the typed errors of core. */
export async function acceptInvitation(
  line: string,
  { seeds: others, data, key, emit, signal, wait }: AcceptOptions
): Promise<AcceptedInvitation> {
  const invitation = decodeInvitation(line)
  const identity = await identityFor(invitation, key)
  const seeds = others.length > 0 ? others : invitation.seeds
  const folder = join(runFolder(invitation.run), identity.id)
  const isRight = (files: string) => isInvitedTo(invitation, files, folder, (text) => emit({ kind: 'note', text }))
  emit({ kind: 'note', text: `${invitation.name} is ${identity.id}, and looks for the run at ${seeds.join(', ')}` })
  const { files, own, certificates } = await enterRun({ invitation, identity, seeds, timeout: wait, signal, isRight })
  emit({ kind: 'note', text: `${invitation.name} was let in` })
  const request = await requestFrom(files, folder)
  return {
    request: data === undefined ? request : { ...request, data },
    place: {
      as: invitation.name,
      identity,
      entered: { own, certificates },
      discovery: { seeds, lan: false }
    }
  }
}

/** Whether files are those of the run that an invitation is for. */
async function isInvitedTo(
  { fingerprint }: Invitation,
  files: string,
  folder: string,
  note: (text: string) => void
): Promise<boolean> {
  try {
    return fingerprintOf(await makeRealPlan(await requestFrom(files, folder))) === fingerprint
  } catch (error) {
    note(`what a peer told of the run cannot be used: ${messageOf(error)}`)
    return false
  }
}

/** A key for each invitation: whoever comes again with it is the same peer. */
function identityFor({ name, serial }: Invitation, key: string | undefined): Promise<Identity> {
  if (key !== undefined) return readIdentity(key)
  return localIdentity(identityDirectory(), peerName(`${name.slice(0, 40)}-${hashText(serial).slice(0, 16)}`))
}
