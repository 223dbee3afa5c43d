/** What a peer of Node uses in addition where it listens for tabs over WebSockets. The build bundles it. */
export { webSockets } from '@libp2p/websockets'
