/** This project: a peer, its fabric, and the average of what comes. */
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { averageAndCheck } from '../vectors.mjs'

const nameOf = (process) => `p${String(process).padStart(3, '0')}`

/** How far off an average may be for what each codec rounds, as a fraction of the largest number. */
const tolerances = { float32: 1e-6, float16: 1e-3, int8: 1e-2 }

/** Bytes on the link per byte of a vector, at most; more means that another codec was chosen. */
const fractions = { float32: 1.01, float16: 0.55, int8: 0.3 }

export async function open(link) {
  const { self, neighbours, elements, options } = link
  const peer = await connectPeer(link)
  const { fabric } = peer
  const { codec } = options
  const own = link.fill(fabric.allocate(elements))
  const numbers = new Map(neighbours.map((neighbour, k) => [nameOf(neighbour), k]))
  const early = []
  const receive = async (round) => {
    const known = early.findIndex(({ message }) => message.round === round)
    if (known >= 0) return early.splice(known, 1)[0]
    for (;;) {
      const envelope = await fabric.receive(fabric.now() + 60_000)
      if (envelope === undefined) throw new Error(`nothing came in round ${round}`)
      if (envelope.message.round === round) return envelope
      early.push(envelope)
    }
  }
  const exchange = async (round) => {
    for (const neighbour of neighbours) send(fabric, neighbour, round, own)
    const envelopes = []
    while (envelopes.length < neighbours.length) envelopes[envelopes.length] = await receive(round)
    envelopes.sort((a, b) => numbers.get(a.from) - numbers.get(b.from))
    const theirs = envelopes.map(({ message }) => message.vector)
    await averageAndCheck({ self, neighbours, own, theirs, tolerance: tolerances[codec] })
    for (const { message } of envelopes) fabric.recycle(message)
    if (round === 2) checkCodec(peer, codec, 3 * neighbours.length * own.byteLength)
  }
  const echo = async ({ byteLength }) => {
    const took = await peer.roundTrip(nameOf(neighbours[0]), byteLength)
    if (took === undefined) throw new Error('an echo has not come back')
  }
  return { exchange, close: () => peer.close(), asks: self === 0, echo }
}

function send(fabric, neighbour, round, vector) {
  const result = fabric.send(nameOf(neighbour), { kind: 1, round, vector })
  if (result !== 'queued') throw new Error(`process ${neighbour} is ${result} in round ${round}`)
}

/** @param bytes - of the vectors that were sent; all but the last of them are known to have gone out whole */
function checkCodec(peer, codec, bytes) {
  const { payload, overhead } = peer.traffic().sent
  if (bytes < 100_000 || payload + overhead < fractions[codec] * bytes) return
  throw new Error(`the peer does not write ${codec}: ${((payload + overhead) / bytes).toFixed(2)} bytes per byte went`)
}

async function connectPeer({ self, neighbours, elements, options, publish, lookup }) {
  const identity = await createIdentity()
  const peer = await createPeer({
    self: nameOf(self),
    identity,
    topology: topologyOf(self, neighbours),
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'bench' }, schema: [{ name: 'weights', shape: [elements] }], start: '' },
    codec: options.codec
  })
  const entry = { name: nameOf(self), id: peer.id, addresses: peer.addresses }
  publish(entry.name, entry)
  const others = await Promise.all(neighbours.map((neighbour) => lookup(nameOf(neighbour))))
  await peer.connect([entry, ...others], 60_000)
  return peer
}

/** What one process sees of the topology: itself and its neighbours, all with the same weight. */
function topologyOf(self, neighbours) {
  const weight = 1 / (neighbours.length + 1)
  const others = neighbours.map((neighbour) => ({ name: nameOf(neighbour), weight }))
  const mixing = { selfWeight: weight, receiveFrom: others, sendTo: others }
  return { peers: [self, ...neighbours].map(nameOf).sort(), period: 1, mixing: () => mixing }
}
