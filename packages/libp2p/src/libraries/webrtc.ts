/**
 * What a peer of Node uses in addition where it listens for tabs over WebRTC. Importing it loads the native package
 * node-datachannel, which may be missing. The build bundles it, with version 2 of webrtc-direct: see
 * webrtc-version-2.mjs.
 */
import { webRTCDirect as direct } from '@libp2p/webrtc'
import type { Libp2pOptions } from 'libp2p'

/** Makes a transport of a node. */
export type TransportMaker = NonNullable<Libp2pOptions['transports']>[number]

/** The certificate of a listener. */
export interface TransportCertificate {
  /** The private key, and the certificate: PEM. */
  readonly privateKey: string
  readonly pem: string
  /** The multihash of the certificate, as in addresses. */
  readonly certhash: string
}

/** Options of the transport. */
export interface DirectOptions {
  readonly certificate?: TransportCertificate
  /** Without servers for STUN: libp2p would name some of its own choice. */
  readonly rtcConfiguration: { readonly iceServers: readonly [] }
  /** How data channels are used, such as their longest message in bytes. */
  readonly dataChannel?: Readonly<Record<string, number>>
}

// The types name nothing of @libp2p/webrtc, which is not installed with this package.
export const webRTCDirect = direct as unknown as (options: DirectOptions) => TransportMaker

/** The curve of the certificate's key; its signatures are deterministic. */
export { p256 } from '@noble/curves/nist.js'
