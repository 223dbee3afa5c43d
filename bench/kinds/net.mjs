/** Bare TCP sockets, the reference: no encryption, no frames. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { channelOf, echoOf, openSession, sendBack } from './channels.mjs'

export const open = (link) => openSession(link, endpointOf(link))

function endpointOf({ echo, options: { chunk } }) {
  const sockets = []
  const listener = async () => {
    const server = createServer({ noDelay: true })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const accepted = once(server, 'connection').then(([socket]) => {
      sockets.push(socket)
      server.close()
      return socket
    })
    return { port: server.address().port, accepted }
  }
  const dialled = async (port) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  return {
    accept: async () => {
      const bulk = await listener()
      const small = echo ? await listener() : undefined
      const channel = Promise.all([bulk.accepted, small?.accepted]).then(([bulkSocket, smallSocket]) => ({
        ...channelOf(bulkSocket, chunk),
        ...(smallSocket && { echo: echoOf(smallSocket) })
      }))
      return { address: [bulk.port, small?.port], channel }
    },
    dial: async ([bulkPort, smallPort]) => {
      const channel = channelOf(await dialled(bulkPort), chunk)
      if (!echo) return channel
      const small = await dialled(smallPort)
      sendBack(small)
      return { ...channel, echo: () => Promise.reject(new Error('the process that was dialled asks')) }
    },
    close: () => sockets.forEach((socket) => socket.destroy())
  }
}
