/**
 * A server with a certificate, and two clients: one trusts the system's authorities, the other is a data channel. A
 * test runs it with the certificate among those authorities.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { dialChannel } from '../dial.js'

/** For "localhost", self-signed, valid until 2049. It protects nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBDzCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
MjAwMTAxMDAwMDAwWhcNNDkxMjMxMjM1OTU5WjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARwuN+jAuEoBZ+P1USEJp1HoXHG
PWxzGTpJzFnO+176aWhEvjQwgJw6/HMF+8IiDlTxOJnXvboS1MkVeSmnFeERMAoG
CCqGSM49BAMCA0gAMEUCIH4qcT6YzFvMr/Yz2oLRUXwkAeh0fuVGMqjsUjQyBnmX
AiEA0G1NidlBEr7LKQKcS852rRW4Yh86fQ2voFWY4wL+OXM=
-----END CERTIFICATE-----
`
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOsZCRirce9xBVgSl
AWnA18G+dvuwPp8FcDi4mRwh9HGhRANCAARwuN+jAuEoBZ+P1USEJp1HoXHGPWxz
GTpJzFnO+176aWhEvjQwgJw6/HMF+8IiDlTxOJnXvboS1MkVeSmnFeER
-----END PRIVATE KEY-----
`

async function run(): Promise<void> {
  const server = createServer({ key: privateKey, cert: certificate, minVersion: 'TLSv1.3' }, (socket) => {
    socket.on('error', () => {})
    socket.write('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const trusting = connect({ port, host: '127.0.0.1', servername: 'localhost' })
  const [greeting] = await once(trusting, 'data')
  let received = 0
  const sink = { destination: new Uint8Array(100), advance: (count: number) => void (received += count) }
  const call = { host: '127.0.0.1', port, id: '0'.repeat(32), key: randomBytes(32) }
  const socket = dialChannel(call, 10_000, sink)
  let isSecure = false
  socket.once('secureConnect', () => {
    isSecure = true
    setTimeout(() => socket.destroy(), 500)
  })
  await once(socket, 'close').catch(() => {})
  process.stdout.write(
    `trusted: ${greeting.length} bytes; by key: ${isSecure ? 'let in' : 'refused'}, ${received} bytes\n`
  )
  process.exit()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run()
