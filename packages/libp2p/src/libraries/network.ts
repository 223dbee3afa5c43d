/** The same with what only Node has. The build bundles it: see bundle-libraries.mjs. */
export * from './network.browser.js'
export { defaultCrypto } from '@chainsafe/libp2p-noise/crypto'
export { mdns } from '@libp2p/mdns'
export { tcp } from '@libp2p/tcp'
