/** What a peer, a seed or a probe uses in addition: libp2p itself. As base.browser.ts, for a page. */
export { noise } from '@chainsafe/libp2p-noise'
export {
  RELAY_V2_HOP_CODEC,
  RELAY_V2_STOP_CODEC,
  circuitRelayServer,
  circuitRelayTransport
} from '@libp2p/circuit-relay-v2'
export { PeerRecord, RecordEnvelope } from '@libp2p/peer-record'
export { yamux } from '@libp2p/yamux'
export { createLibp2p } from 'libp2p'
