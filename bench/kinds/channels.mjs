/** A session over channels, one per neighbour, that carry bytes both ways; for all kinds that are not ours. */
import { once } from 'node:events'
import { averageAndCheck, bytesOf } from '../vectors.mjs'

/**
 * Connects the neighbours: of two, the one with the higher number dials.
 *
 * @param endpoint - `accept(neighbour)` gives the `address` at which that neighbour is to call and the promise of a
 *   `channel`; `dial(address, neighbour)` resolves to a channel; `close()` ends all. A channel has `send(bytes)` and
 *   `receive(into)`, and `echo(bytes)` where it can.
 */
export async function openSession(link, endpoint) {
  const { self, neighbours } = link
  const channels = await Promise.all(neighbours.map((neighbour) => connect(link, endpoint, neighbour)))
  const own = link.fill(link.take())
  const theirs = neighbours.map(() => link.take())
  const session = {
    exchange: async () => {
      const receipts = channels.map((channel, k) => channel.receive(bytesOf(theirs[k])))
      const sendings = channels.map((channel) => channel.send(bytesOf(own)))
      await Promise.all([...receipts, ...sendings])
      averageAndCheck({ self, neighbours, own, theirs, tolerance: 1e-6 })
    },
    close: () => endpoint.close()
  }
  const [{ echo }] = channels
  return echo === undefined ? session : { ...session, asks: self === 0, echo: (bytes) => echo(bytes) }
}

async function connect(link, endpoint, neighbour) {
  const { self, publish, lookup } = link
  if (self > neighbour) return endpoint.dial(await lookup(`${neighbour} for ${self}`), neighbour)
  const { address, channel } = await endpoint.accept(neighbour)
  publish(`${self} for ${neighbour}`, address)
  return channel
}

/** Copies pieces, as they come, to where they belong, and keeps what comes before it is asked for. */
export class Inbox {
  #early = []
  #target
  #filled = 0
  #complete = () => {}

  push(piece) {
    if (this.#target === undefined) {
      this.#early.push(piece)
      return
    }
    const part = piece.subarray(0, this.#target.byteLength - this.#filled)
    this.#target.set(part, this.#filled)
    this.#filled += part.byteLength
    if (this.#filled < this.#target.byteLength) return
    this.#target = undefined
    if (part.byteLength < piece.byteLength) this.#early.push(piece.subarray(part.byteLength))
    this.#complete()
  }

  /** Resolves when the next `into.byteLength` bytes are in `into`. One call at a time. */
  fill(into) {
    return new Promise((resolve) => {
      this.#target = into
      this.#filled = 0
      this.#complete = resolve
      for (const piece of this.#early.splice(0)) this.push(piece)
    })
  }
}

/** Writes all of `bytes` to a writable stream, in chunks, and waits whenever the stream asks to. */
export async function writeAll(writable, bytes, chunk) {
  for (let offset = 0; offset < bytes.byteLength; offset += chunk) {
    if (!writable.write(bytes.subarray(offset, offset + chunk))) await once(writable, 'drain')
  }
}

/** The channel of a stream of Node.js that carries bytes both ways. */
export function channelOf(duplex, chunk) {
  const inbox = new Inbox()
  duplex.on('data', (piece) => inbox.push(piece))
  return { send: (bytes) => writeAll(duplex, bytes, chunk), receive: (into) => inbox.fill(into) }
}

/** Sends small messages over a stream of Node.js, and has them come back. */
export function echoOf(duplex) {
  const inbox = new Inbox()
  duplex.on('data', (piece) => inbox.push(piece))
  return (bytes) => {
    duplex.write(bytes)
    return inbox.fill(new Uint8Array(bytes.byteLength))
  }
}

/** Sends back what comes. */
export const sendBack = (duplex) => duplex.on('data', (piece) => duplex.write(piece))
