/** TLS 1.3 of Node.js over TCP, with the cipher that it chooses by itself, AES-256-GCM. */
import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { createCertificate } from './certificate.mjs'
import { channelOf, openSession } from './channels.mjs'

export const open = (link) => openSession(link, endpointOf(link.options))

function endpointOf({ chunk }) {
  const sockets = []
  return {
    accept: async () => {
      const { key, cert } = createCertificate()
      const server = createServer({ key, cert, minVersion: 'TLSv1.3', noDelay: true })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const channel = once(server, 'secureConnection').then(([socket]) => {
        sockets.push(socket)
        server.close()
        return channelOf(socket, chunk)
      })
      return { address: { port: server.address().port, cert }, channel }
    },
    dial: async ({ port, cert }) => {
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: cert })
      sockets.push(socket)
      await once(socket, 'secureConnect')
      socket.setNoDelay()
      return channelOf(socket, chunk)
    },
    close: () => sockets.forEach((socket) => socket.destroy())
  }
}
