import type { Wrap } from '../shaping/wrapping-transport.js'

/** Members of a connection over a WebSocket that libp2p's type lacks. */
interface SocketConnection {
  readonly websocket: { close(): void; readonly terminate?: () => void }
  sendReset(): void
}

/**
 * Lets an abort end the WebSocket of a connection: libp2p closes it with code 1006, which neither browsers nor Node
 * take, so it would stay open.
 */
export const endingSocket: Wrap = (connection) => {
  const aborted = connection as unknown as SocketConnection
  const { websocket } = aborted
  aborted.sendReset = () => (websocket.terminate === undefined ? websocket.close() : websocket.terminate())
  return connection
}
