/**
 * What this package uses of its libraries before a peer starts: addresses, keys and bytes. The build bundles it for
 * Node, in base.ts: see bundle-libraries.mjs. A page takes this file, since its own bundler chooses what it needs.
 */
export { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf, publicKeyFromRaw } from '@libp2p/crypto/keys'
export { TimeoutError, serviceCapabilities, transportSymbol } from '@libp2p/interface'
export { peerIdFromPrivateKey, peerIdFromPublicKey, peerIdFromString } from '@libp2p/peer-id'
export { AbstractMessageStream, AbstractMultiaddrConnection, Queue, lpStream } from '@libp2p/utils'
export { multiaddr } from '@multiformats/multiaddr'
export { decode, encode } from 'it-length-prefixed'
export { pipe } from 'it-pipe'
export { pushable } from 'it-pushable'
export { setMaxListeners } from 'main-event'
export { Uint8ArrayList } from 'uint8arraylist'
export { fromString } from 'uint8arrays/from-string'
export { toString as textOf } from 'uint8arrays/to-string'
