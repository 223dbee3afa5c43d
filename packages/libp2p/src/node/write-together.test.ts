import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { MultiaddrConnection } from '@libp2p/interface'
import test, { type ExecutionContext } from 'ava'
import { writeTogether } from './write-together.js'

/** A socket as in libp2p, the bytes of each system call, and all bytes received at the far end. */
async function wire(t: ExecutionContext) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [Socket]
  t.teardown(() => {
    socket.resetAndDestroy()
    far.resetAndDestroy()
    server.close()
  })
  await once(socket, 'connect')
  const calls: number[] = []
  const { _write: write, _writev: writev } = socket
  socket._write = (chunk: Uint8Array, ...rest) => {
    calls.push(chunk.byteLength)
    write.call(socket, chunk, ...rest)
  }
  socket._writev = (chunks, done) => {
    calls.push(chunks.reduce((sum, { chunk }) => sum + (chunk as Uint8Array).byteLength, 0))
    writev?.call(socket, chunks, done)
  }
  writeTogether({ socket } as unknown as MultiaddrConnection)
  return { socket, calls, received: buffer(far) }
}

test('data sent in one turn is written in one system call, in order', async (t) => {
  const { socket, calls, received } = await wire(t)
  for (const text of ['a', 'bc', 'd']) socket.write(Buffer.from(text))
  await Promise.resolve()
  socket.write(Buffer.from('e'))
  t.deepEqual(calls, [])
  await setImmediate()
  t.deepEqual(calls, [5])
  socket.end()
  t.is((await received).toString(), 'abcde')
})

test('long data is written at once and separately, after earlier data', async (t) => {
  const { socket, calls, received } = await wire(t)
  socket.write(Buffer.from('he'))
  socket.write(Buffer.from('ad'))
  socket.write(Buffer.alloc(1 << 20))
  t.is(calls[0], 4)
  socket.end()
  t.is((await received).byteLength, 4 + (1 << 20))
  t.deepEqual(calls, [4, 1 << 20])
})

test('data sent before the end arrives', async (t) => {
  const { socket, received } = await wire(t)
  socket.write(Buffer.from('last words'))
  socket.destroySoon()
  t.is((await received).toString(), 'last words')
})

test('data sent in the turn in which the connection is cut arrives', async (t) => {
  const { socket, received } = await wire(t)
  socket.write(Buffer.from('last '))
  socket.write(Buffer.from('words'))
  socket.destroy()
  t.is((await received).toString(), 'last words')
})
