/** A stream of HTTP/2 over plain TCP, which carries bytes both ways while the request lasts. */
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import { channelOf, openSession } from './channels.mjs'

export const open = (link) => openSession(link, endpointOf(link.options))

function endpointOf({ chunk, window }) {
  const settings = { initialWindowSize: window, maxFrameSize: 1 << 20 }
  // The memory of a session, in MB, has to exceed its window.
  const options = { settings, maxSessionMemory: 1000 }
  const sessions = []
  const keep = (session) => {
    sessions.push(session)
    return session
  }
  return {
    accept: async () => {
      const server = createServer(options)
      server.on('session', (session) => keep(session).setLocalWindowSize(window))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const channel = once(server, 'stream').then(([stream]) => {
        stream.respond({ ':status': 200 })
        server.close()
        return channelOf(stream, chunk)
      })
      return { address: server.address().port, channel }
    },
    dial: async (port) => {
      const session = keep(connect(`http://127.0.0.1:${port}`, options))
      await once(session, 'connect')
      session.setLocalWindowSize(window)
      const stream = session.request({ ':method': 'POST', ':path': '/exchange' }, { endStream: false })
      await once(stream, 'response')
      return channelOf(stream, chunk)
    },
    close: () => sessions.forEach((session) => session.destroy())
  }
}
