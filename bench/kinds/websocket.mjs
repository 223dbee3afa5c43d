/** WebSockets of the package ws with messages in msgpack, `{ round, bin }`, not compressed. */
import { once } from 'node:events'
import { decode, Encoder } from '@msgpack/msgpack'
import WebSocket, { WebSocketServer } from 'ws'
import { Inbox, openSession } from './channels.mjs'

const settings = { perMessageDeflate: false, maxPayload: 0 }

export const open = (link) => openSession(link, endpointOf(link.options))

function endpointOf({ chunk }) {
  const sockets = []
  return {
    accept: async () => {
      const server = new WebSocketServer({ ...settings, host: '127.0.0.1', port: 0 })
      await once(server, 'listening')
      const channel = once(server, 'connection').then(([socket]) => {
        sockets.push(socket)
        server.close()
        return channelOf(socket, chunk)
      })
      return { address: server.address().port, channel }
    },
    dial: async (port) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, settings)
      sockets.push(socket)
      await once(socket, 'open')
      return channelOf(socket, chunk)
    },
    close: () => sockets.forEach((socket) => socket.terminate())
  }
}

function channelOf(socket, chunk) {
  const inbox = new Inbox()
  // With room for a whole message from the start, the encoder need not copy it to ever larger memory.
  const encoder = new Encoder({ initialBufferSize: chunk + 64 })
  socket.on('message', (data) => inbox.push(decode(data).bin))
  let round = 0
  const send = async (bytes) => {
    let sent = Promise.resolve()
    for (let offset = 0; offset < bytes.byteLength; offset += chunk) {
      const message = encoder.encode({ round, bin: bytes.subarray(offset, offset + chunk) })
      const before = sent
      sent = new Promise((resolve, reject) => socket.send(message, (error) => (error ? reject(error) : resolve())))
      await before
    }
    await sent
    round++
  }
  return { send, receive: (into) => inbox.fill(into) }
}
