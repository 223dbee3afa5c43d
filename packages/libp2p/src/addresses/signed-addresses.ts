/** Signed addresses of a peer: libp2p's peer records in signed envelopes (libp2p specs, RFC 0002 and RFC 0003). */
import type { Multiaddr } from '@multiformats/multiaddr'
import { multiaddr, peerIdFromPublicKey } from '#platform/libraries/base.js'
import { PeerRecord, RecordEnvelope } from '#platform/libraries/network.js'
import type { Identity } from '../base/identity.js'

/** The most addresses of a peer that are announced, read and dialled. */
export const maxAddresses = 16

/** The most bytes of a signed record that are read. */
export const maxRecordBytes = 2048

/** The signed addresses of a peer. */
export interface SignedAddresses {
  /** The libp2p peer id of the signer. */
  readonly id: string
  /** Of two records of a peer, the one with the higher number is newer. */
  readonly sequence: bigint
  /** Without the peer id at their ends. */
  readonly addresses: readonly Multiaddr[]
  /** The envelope, to be passed on unchanged. */
  readonly bytes: Uint8Array
}

/**
 * Signs the addresses of this peer. The sequence number is the time of day, so that the record is newer than those of
 * earlier processes.
 */
export async function signAddresses(identity: Identity, addresses: readonly string[]): Promise<Uint8Array> {
  const multiaddrs = addresses.slice(0, maxAddresses).map((text) => withoutId(multiaddr(text)))
  const { privateKey } = identity
  const record = new PeerRecord({ peerId: peerIdFromPublicKey(privateKey.publicKey), multiaddrs })
  return (await RecordEnvelope.seal(record, privateKey)).marshal()
}

/** Reads and checks a signed record; `undefined` when it is malformed, too long, or not signed by the peer's key. */
export async function readAddresses(bytes: Uint8Array): Promise<SignedAddresses | undefined> {
  if (bytes.byteLength > maxRecordBytes) return undefined
  try {
    const envelope = await RecordEnvelope.openAndCertify(bytes, PeerRecord.DOMAIN)
    const { peerId, multiaddrs, seqNumber } = PeerRecord.createFromProtobuf(envelope.payload)
    if (!peerId.equals(peerIdFromPublicKey(envelope.publicKey))) return undefined
    const addresses = multiaddrs.slice(0, maxAddresses).map(withoutId)
    return { id: peerId.toString(), sequence: seqNumber, addresses, bytes }
  } catch {
    return undefined
  }
}

/** An address without the peer id at its end. */
export function withoutId(address: Multiaddr): Multiaddr {
  const parts = address.getComponents()
  return parts.at(-1)?.name === 'p2p' ? address.decapsulateCode(421) : address
}
