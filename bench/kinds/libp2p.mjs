/** A stream of libp2p as it comes, TCP, noise and yamux, at the settings at which it was fastest. */
import './polyfill.mjs'
import { noise } from '@chainsafe/libp2p-noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { Inbox, openSession } from './channels.mjs'

const streams = { maxInboundStreams: 64, maxOutboundStreams: 64 }

export async function open(link) {
  const node = await createNode(link.options)
  return openSession(link, endpointOf(node, link))
}

const createNode = ({ window }) =>
  createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux({ streamOptions: { maxStreamWindowSize: window, maxReadBufferLength: 2 * window } })],
    connectionManager: { maxConnections: 300, inboundConnectionThreshold: 100, maxIncomingPendingConnections: 100 },
    connectionMonitor: { enabled: false }
  })

function endpointOf(node, { self, echo, options: { chunk } }) {
  const handled = (protocol, take) =>
    new Promise((resolve, reject) => {
      node.handle(protocol, (stream) => resolve(take(stream)), streams).catch(reject)
    })
  return {
    accept: async (neighbour) => {
      const bulk = handled(`/bench/bulk/${neighbour}`, (stream) => channelOf(stream, chunk))
      const small = echo ? handled(`/bench/echo/${neighbour}`, echoOf) : undefined
      const channel = Promise.all([bulk, small]).then(([main, ask]) => (ask ? { ...main, echo: ask } : main))
      return { address: node.getMultiaddrs().map(String), channel }
    },
    dial: async (addresses) => {
      const connection = await node.dial(addresses.map((address) => multiaddr(address)))
      const channel = channelOf(await connection.newStream(`/bench/bulk/${self}`), chunk)
      if (!echo) return channel
      const small = await connection.newStream(`/bench/echo/${self}`)
      small.addEventListener('message', ({ data }) => small.send(data))
      return { ...channel, echo: () => Promise.reject(new Error('the process that was dialled asks')) }
    },
    close: () => node.stop()
  }
}

function inboxOf(stream) {
  const inbox = new Inbox()
  stream.addEventListener('message', ({ data }) => {
    if (data instanceof Uint8Array) inbox.push(data)
    else for (const piece of data) inbox.push(piece)
  })
  return inbox
}

function channelOf(stream, chunk) {
  const inbox = inboxOf(stream)
  const send = async (bytes) => {
    for (let offset = 0; offset < bytes.byteLength; offset += chunk) {
      stream.send(bytes.subarray(offset, offset + chunk))
      while (stream.writeBufferLength > chunk) await room(stream)
    }
  }
  return { send, receive: (into) => inbox.fill(into) }
}

function echoOf(stream) {
  const inbox = inboxOf(stream)
  return (bytes) => {
    stream.send(bytes)
    return inbox.fill(new Uint8Array(bytes.byteLength))
  }
}

/** Resolves when the stream has written something. The promise of `stream.onDrain()` is of use only once. */
function room(stream) {
  return new Promise((resolve) => {
    const ready = () => {
      stream.removeEventListener('drain', ready)
      stream.removeEventListener('idle', ready)
      resolve()
    }
    stream.addEventListener('drain', ready)
    stream.addEventListener('idle', ready)
  })
}
