import { Socket } from 'node:net'
import type { MultiaddrConnection } from '@libp2p/interface'

/**
 * A piece of at least this many bytes is written separately. A record of 64 KiB with a few bytes before it would be
 * longer than one read at the receiver, which would have to concatenate it: that costs a fifth of the speed of long
 * vectors.
 */
const longPiece = 4096

/**
 * Makes a TCP connection write all small pieces of one turn of the event loop at once. libp2p's layers send a message
 * in five pieces; each would be one system call here, and one read at the receiver. The socket exists, though not in
 * libp2p's types.
 */
export function writeTogether(connection: MultiaddrConnection): MultiaddrConnection {
  if ('socket' in connection && connection.socket instanceof Socket) gather(connection.socket)
  return connection
}

function gather(socket: Socket): void {
  const write = socket.write.bind(socket)
  const destroy = socket.destroy.bind(socket)
  let turn: NodeJS.Immediate | undefined
  const flush = () => {
    clearImmediate(turn)
    turn = undefined
    socket.uncork()
  }
  socket.write = (data: Uint8Array | string) => {
    if (data.length >= longPiece) {
      if (turn !== undefined) flush()
      return write(data)
    }
    if (turn === undefined) {
      socket.cork()
      turn = setImmediate(flush)
    }
    return write(data)
  }
  // A libp2p node that stops destroys its incoming sockets, often in the turn in which its last messages were sent.
  socket.destroy = (error) => {
    if (turn !== undefined) flush()
    return destroy(error)
  }
}
