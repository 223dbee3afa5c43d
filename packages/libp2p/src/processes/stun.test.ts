/** What those can do to a listener for WebRTC that send it packets of UDP and no more. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { multiaddr } from '@multiformats/multiaddr'
import { peerName } from '@murmuration/core'
import test from 'ava'
import { createIdentity, encodeIdentity } from '../base/identity.js'
import { dialler } from '../tabs/dialler.test.support.js'
import type { Start } from './echoing-peer.test.support.js'

const requests = 10_000

/** An attribute of STUN (RFC 8489, 14): type, length, value, padding to four bytes. */
function attribute(type: number, value: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

/** A binding request as a browser's ICE sends it (RFC 8445, 7.1), with a valid integrity and a name of its own. */
function bindingRequest(): Buffer {
  const password = `libp2p+webrtc+v2/${randomBytes(16).toString('hex')}`
  const id = randomBytes(12)
  const head = (length: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt16BE(1, 0)
    bytes.writeUInt16BE(length, 2)
    bytes.writeUInt32BE(0x2112a442, 4)
    return Buffer.concat([bytes, id])
  }
  const name = attribute(0x0006, Buffer.from(`${password}:${randomBytes(4).toString('hex')}`))
  const rest = [
    attribute(0x802a, randomBytes(8)),
    attribute(0x0025, Buffer.alloc(0)),
    attribute(0x0024, Buffer.alloc(4, 1))
  ]
  const body = Buffer.concat([name, ...rest])
  // The length includes the integrity, which takes 24 bytes.
  const signed = Buffer.concat([head(body.length + 24), body])
  return Buffer.concat([signed, attribute(0x0008, createHmac('sha1', password).update(signed).digest())])
}

/** The memory of a process in MB; 0 where the system does not say. */
function megabytes({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/status`
  return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) / 1000 : 0
}

test('10,000 requests of STUN get few answers and little memory, and a real caller still gets in', async (t) => {
  const child = fork(fileURLToPath(new URL('./echoing-peer.test.support.js', import.meta.url)))
  t.teardown(() => child.kill('SIGKILL'))
  const [identity, guest] = await Promise.all([createIdentity(), createIdentity()])
  const k = peerName('k')
  const listen = ['/ip4/127.0.0.1/udp/0/webrtc-direct']
  child.send({ name: k, key: encodeIdentity(identity), listen, edges: [['a', 'k']] } satisfies Start)
  const [addresses] = (await once(child, 'message')) as [string[]]
  child.send([
    { name: k, id: identity.id, addresses: [] },
    { name: peerName('a'), id: guest.id, addresses: [] }
  ])
  const node = await dialler(t, guest)
  const call = async () => (await node.dial(multiaddr(addresses[0]))).close()
  await call()

  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  let bytes = 0
  socket.on('message', ({ length }) => (bytes += length))
  const port = Number(/udp\/(\d+)/.exec(addresses[0])?.[1])
  const before = megabytes(child)
  let sent = 0
  for (let count = 1; count <= requests; count++) {
    const request = bindingRequest()
    sent += request.length
    socket.send(request, port, '127.0.0.1')
    // More at a time would not all fit into the socket's buffer.
    if (count % 100 === 0) await delay(5)
  }
  const grown = megabytes(child) - before
  t.true(grown < 40, `${grown} MB more`)
  t.true(bytes < sent / 10, `${bytes} bytes in return for ${sent}`)
  await t.notThrowsAsync(call)
})
