import { join } from 'node:path'
import { InputError, type PeerName } from '@murmuration/core'
import { homeDirectory } from '@murmuration/data'
import {
  type DiscoveryOptions,
  type Identity,
  localIdentity,
  parsePeerId,
  type PeerListEntry,
  readIdentity
} from '@murmuration/libp2p'
import type { PeerEntry } from '@murmuration/files'
import { isLoopback } from '@murmuration/files/addresses'
import type { RunPlan } from './plan.js'

/** The identity of a peer, where it listens, and the ids and addresses of the others. */
export interface PeerPlace {
  readonly identity: Identity
  readonly listen: readonly string[]
  readonly peerList: readonly PeerListEntry[]
  /** The relays in its own addresses. */
  readonly relays: readonly string[]
}

/** Options that determine a place, in addition to the file. */
export interface PlaceOptions {
  /** A key file; default: the key in the user's home. */
  readonly key?: string | undefined
  /** Replaces that of a key file. */
  readonly identity?: Identity | undefined
  /** Multiaddrs to listen on; the file's if empty or absent. */
  readonly listen?: readonly string[] | undefined
  readonly discovery?: DiscoveryOptions | undefined
}

/** The folder for the keys of this machine's peers. */
export function identityDirectory(): string {
  return join(homeDirectory(), 'identities')
}

/**
 * Reads a peer's place from a topology file. The file pins ids. A peer without an id must be on this machine (loopback
 * addresses): its key, and so its id, is in the user's home, where the other peers of this machine find it.
 */
export async function placeOf(
  { path, file }: Pick<RunPlan, 'path' | 'file'>,
  self: PeerName,
  { key, identity: ownIdentity, listen = [], discovery }: PlaceOptions = {}
): Promise<PeerPlace> {
  const peers = [...file.peers, ...file.servers]
  const entry = peers.find(({ name }) => name === self)
  if (entry === undefined) {
    throw new InputError(`--as ${self}: ${path} has no such peer; it has ${peers.map(({ name }) => name).join(', ')}`)
  }
  const isSought = discovery !== undefined
  const identity =
    ownIdentity ?? (key === undefined ? await localIdentity(identityDirectory(), self) : await readIdentity(key))
  checkPin(path, entry, identity)
  // An invited peer has no id before it joins.
  const withIds = peers.filter(({ name, invited }) => name === self || !invited)
  const peerList = await Promise.all(withIds.map((peer) => entryOf(path, peer, self, identity, isSought)))
  const relays = entry.addresses.flatMap((address) => relayIn(address) ?? [])
  return { identity, listen: listen.length > 0 ? listen : listenOf(path, entry, isSought), peerList, relays }
}

function checkPin(path: string, { name, id }: PeerEntry, identity: Identity): void {
  if (id === undefined || parsePeerId(id) === identity.id) return
  throw new InputError(
    `${path}: found the id ${id} for ${name}, but this machine's key for ${name} has the id ${identity.id}; ` +
      `put this id into the file, or name the right key with --key`
  )
}

async function entryOf(
  path: string,
  peer: PeerEntry,
  self: PeerName,
  identity: Identity,
  isSought: boolean
): Promise<PeerListEntry> {
  const { name, addresses } = peer
  if (name === self) return { name, id: identity.id, addresses }
  if (addresses.length === 0 && !isSought) throw noAddress(path, name)
  if (peer.id !== undefined) return { name, id: peer.id, addresses }
  if (addresses.length === 0 || !addresses.every(isLoopback)) {
    throw new InputError(
      `${path}: ${name} is on another machine and has no id; run "murmur identity ${name}" there and put the id ` +
        'that it prints into the file, so that no other machine can pose as this peer'
    )
  }
  return { name, id: (await localIdentity(identityDirectory(), name)).id, addresses }
}

function listenOf(path: string, { name, addresses, listen }: PeerEntry, isSought: boolean): readonly string[] {
  if (listen !== undefined) return listen
  if (addresses.length === 0 && isSought) return [anywhere]
  if (addresses.length === 0) throw noAddress(path, name)
  const direct = addresses.filter((address) => relayIn(address) === undefined)
  if (direct.length === 0) return [anywhere]
  return direct
    .map((address) => address.replace(/\/certhash\/[^/]+/, ''))
    .map((address) => (isLoopback(address) ? address : everywhere(address)))
}

function noAddress(path: string, name: PeerName): InputError {
  return new InputError(
    `${path}: ${name} has no address; add addresses, such as [/ip4/192.0.2.7/tcp/4001], or find it with --seed or --lan`
  )
}

/** All addresses of this machine, at a free port. */
const anywhere = '/ip4/0.0.0.0/tcp/0'

/** The address that others call may be a router's, so the peer listens on all addresses of the machine. */
function everywhere(address: string): string {
  const [, protocol, , ...rest] = address.split('/')
  return `/${protocol === 'ip6' || protocol === 'dns6' ? 'ip6/::' : 'ip4/0.0.0.0'}/${rest.join('/')}`
}

/** The address of the relay within the address of a peer behind it. */
function relayIn(address: string): string | undefined {
  return /^(.+)\/p2p-circuit(\/|$)/.exec(address)?.[1]
}
