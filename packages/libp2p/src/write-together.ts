import { Socket } from 'node:net'
import type { MultiaddrConnection } from '@libp2p/interface'

/**
 * From how many bytes on a piece is written by itself. Together with the few bytes before it, a record of 64 KiB would be longer than
 * what is read at a time, and each would have to be put together again: a fifth of the speed of long vectors.
 */
const longPiece = 4096

/**
 * Lets a TCP connection write what is sent in small pieces in one turn of the event loop at once. libp2p's layers send a message in five pieces, each of
 * which would be one call of the system here, and one piece to be read there. The socket is there, though not in libp2p's types.
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
  // A libp2p node that stops destroys the sockets of those who called it, often in the turn in which its last words were sent.
  socket.destroy = (error) => {
    if (turn !== undefined) flush()
    return destroy(error)
  }
}
