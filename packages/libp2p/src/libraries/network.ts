/** What a peer, a seed or a probe uses in addition: libp2p itself. The build bundles it: see bundle-libraries.mjs. */
export { noise } from '@chainsafe/libp2p-noise'
export { defaultCrypto } from '@chainsafe/libp2p-noise/crypto'
export {
  RELAY_V2_HOP_CODEC,
  RELAY_V2_STOP_CODEC,
  circuitRelayServer,
  circuitRelayTransport
} from '@libp2p/circuit-relay-v2'
export { mdns } from '@libp2p/mdns'
export { PeerRecord, RecordEnvelope } from '@libp2p/peer-record'
export { tcp } from '@libp2p/tcp'
export { yamux } from '@libp2p/yamux'
export { createLibp2p } from 'libp2p'
