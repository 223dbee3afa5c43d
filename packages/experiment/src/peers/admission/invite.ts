import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InputError, NeighboursMissingError, peerName, type PeerName } from '@murmuration/core'
import {
  createIdentity,
  encodeInvitation,
  type Identity,
  invite,
  localIdentity,
  readIdentity,
  revoke,
  tellRun
} from '@murmuration/libp2p'
import { makeRealPlan } from '../../make-plan.js'
import type { RunPlan, RunRequest } from '../../training/plan.js'
import { identityDirectory } from '../../training/peer-list.js'
import { fingerprintOf } from './run-files.js'

/** The peer that an invitation or a revocation is for. */
export interface Guest {
  readonly name: PeerName
  /** The file with the run key; default: the key in the user's home. */
  readonly key?: string | undefined
  /** Multiaddrs for finding the run; the file's if empty. */
  readonly seeds: readonly string[]
}

/** The maximum number of peers and of seeds in an invitation. */
const maxNamed = 4

/**
 * The text of an invitation to a place of a topology file; it expires after `expires` milliseconds. Throws an
 * InputError that says what is missing.
 */
export async function invitationText(
  request: RunRequest,
  { expires, ...guest }: Guest & { readonly expires: number }
): Promise<string> {
  const plan = await makeRealPlan(request)
  const runKey = await runKeyOf(plan, guest)
  const { members, seeds } = whereabouts(plan, guest)
  const issued = Date.now()
  const terms = {
    name: guest.name,
    issued,
    expires: issued + expires,
    fingerprint: fingerprintOf(plan),
    members,
    seeds
  }
  return encodeInvitation(await invite(runKey, terms))
}

/**
 * An invitation to each place that a topology file keeps, if the run key is on this machine; undefined if it is not.
 * They expire after `expires` milliseconds.
 */
export async function invitationsHere(
  request: RunRequest,
  { seeds, expires }: Pick<Guest, 'seeds'> & { readonly expires: number }
): Promise<readonly { readonly name: PeerName; readonly text: string }[] | undefined> {
  const { file } = await makeRealPlan(request)
  const key = join(identityDirectory(), 'run-key.key')
  if (file.runKey === undefined || !existsSync(key) || (await readIdentity(key)).id !== file.runKey) return undefined
  const places = file.peers.filter(({ invited }) => invited)
  return Promise.all(
    places.map(async ({ name }) => ({ name, text: await invitationText(request, { name, key, seeds, expires }) }))
  )
}

/**
 * Revokes all earlier invitations for a name, used or not. Resolves with the number of peers that received the
 * revocation; they forward it. Rejects with a NeighboursMissingError if no peer received it.
 */
export async function revokeInvitations(request: RunRequest, guest: Guest, signal: AbortSignal): Promise<number> {
  const plan = await makeRealPlan(request)
  const runKey = await runKeyOf(plan, guest)
  const certificate = await revoke(runKey, guest.name, Date.now())
  const where = whereabouts(plan, guest)
  const count = await tellRun({ run: runKey.id, ...where, identity: await createIdentity(), certificate, signal })
  if (count > 0) return count
  throw new NeighboursMissingError([], `reached no peer of the run at ${where.seeds.join(', ')}; nothing was revoked`)
}

async function runKeyOf({ path, file }: RunPlan, { name, key }: Guest): Promise<Identity> {
  const identity =
    key === undefined ? await localIdentity(identityDirectory(), peerName('run-key')) : await readIdentity(key)
  if (file.runKey !== identity.id) {
    const found = file.runKey === undefined ? 'has no runKey' : `has the runKey ${file.runKey}`
    throw new InputError(
      `${path} ${found}, but this machine's run key is ${identity.id}; write "runKey: ${identity.id}" into the file on all machines, or name the right key with --key`
    )
  }
  const entry = file.peers.find((peer) => peer.name === name)
  if (entry?.invited !== true) {
    throw new InputError(
      `${path} has no invited peer "${name}"; add { name: ${name}, invited: true } to its peers on all machines`
    )
  }
  return identity
}

/** How to find the run: some peers, and their addresses. */
function whereabouts({ path, file }: RunPlan, { seeds }: Guest) {
  const pinned = file.peers.filter(({ id }) => id !== undefined)
  const listed = pinned.flatMap(({ id, addresses }) =>
    addresses.slice(0, 1).map((address) => (address.includes('/p2p/') ? address : `${address}/p2p/${id}`))
  )
  const found = (seeds.length > 0 ? seeds : listed).slice(0, maxNamed)
  if (found.length > 0) return { members: pinned.flatMap(({ id }) => id ?? []).slice(0, maxNamed), seeds: found }
  throw new InputError(
    `${path} has no address of a peer; name the address of a seed, or of a peer of the run, with --seed`
  )
}
