/** A call of gRPC that streams both ways messages with one field: `message Chunk { bytes data = 1; }`. */
import { Buffer } from 'node:buffer'
import grpc from '@grpc/grpc-js'
import { createCertificate } from './certificate.mjs'
import { Inbox, openSession, writeAll } from './channels.mjs'

const optionsOf = (window) => ({
  'grpc.max_send_message_length': -1,
  'grpc.max_receive_message_length': -1,
  'grpc-node.flow_control_window': window,
  'grpc.ssl_target_name_override': 'localhost'
})

/** The tag of field 1 with a length before its content, as Protocol Buffers write it. */
const tag = 0x0a

/** Writes a Chunk as Protocol Buffers do: tag, length as a variable-length integer, content. */
export function serialize(data) {
  const out = Buffer.allocUnsafe(6 + data.byteLength)
  let at = 0
  out[at++] = tag
  let rest = data.byteLength
  for (; rest > 127; rest >>>= 7) out[at++] = (rest & 127) | 128
  out[at++] = rest
  out.set(data, at)
  return out.subarray(0, at + data.byteLength)
}

/** Reads a Chunk; the content is a view of `bytes`. */
export function deserialize(bytes) {
  if (bytes[0] !== tag) throw new Error('no Chunk')
  let length = 0
  let at = 1
  for (let shift = 0; ; shift += 7) {
    const digit = bytes[at++]
    length += (digit & 127) * 2 ** shift
    if (digit < 128) break
  }
  return bytes.subarray(at, at + length)
}

const exchange = {
  path: '/bench.Vectors/Exchange',
  requestStream: true,
  responseStream: true,
  requestSerialize: serialize,
  responseSerialize: serialize,
  requestDeserialize: deserialize,
  responseDeserialize: deserialize
}

export const open = (link) => openSession(link, endpointOf(link.options))

function endpointOf({ secure, chunk, window }) {
  const options = optionsOf(window)
  const ends = []
  return {
    accept: async () => {
      const { key, cert } = secure ? createCertificate() : {}
      const server = new grpc.Server(options)
      const channel = new Promise((resolve) => {
        server.addService({ exchange }, { exchange: (call) => resolve(channelOf(call, chunk)) })
      })
      const pair = { private_key: Buffer.from(key ?? ''), cert_chain: Buffer.from(cert ?? '') }
      const { createSsl, createInsecure } = grpc.ServerCredentials
      const credentials = secure ? createSsl(null, [pair]) : createInsecure()
      const bound = (resolve, reject) =>
        server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port)))
      ends.push(() => server.forceShutdown())
      return { address: { port: await new Promise(bound), cert }, channel }
    },
    dial: async ({ port, cert }) => {
      const { createSsl, createInsecure } = grpc.credentials
      const credentials = secure ? createSsl(Buffer.from(cert)) : createInsecure()
      const client = new grpc.Client(`127.0.0.1:${port}`, credentials, options)
      ends.push(() => client.close())
      return channelOf(client.makeBidiStreamRequest(exchange.path, serialize, deserialize), chunk)
    },
    close: () => ends.forEach((end) => end())
  }
}

function channelOf(call, chunk) {
  const inbox = new Inbox()
  call.on('data', (data) => inbox.push(data))
  return { send: (bytes) => writeAll(call, bytes, chunk), receive: (into) => inbox.fill(into) }
}
