/**
 * Everything that is measured.
 *
 * A module of a kind has `open(link)`, which resolves to a session once the process is connected with its neighbours:
 * `exchange(round)` sends one's own vector to all neighbours, receives theirs, averages and checks; `close()` ends it.
 * A kind that can also send a small message to and fro has `asks` (whether this process is to ask) and `echo(bytes)`.
 *
 * The link says who is who and what the size is: `self` and `neighbours` are numbers, `elements` the length of vectors,
 * `take()` gives memory for one, `fill(vector)` writes this process's numbers, `publish(name, value)` tells all
 * processes of the team something and `lookup(name)` waits for it, and `echo` says whether echoes are wanted.
 */

/** What others are measured against. */
export const references = { libp2p: 'libp2p', net: 'net' }

const MiB = 1 << 20

const murmuration = (codec) => ({
  module: './kinds/murmuration.mjs',
  options: { codec },
  label: codec === 'float32' ? 'Murmuration' : `Murmuration, ${codec}`
})

const libp2p = (window) => ({
  module: './kinds/libp2p.mjs',
  options: { window: window << 20, chunk: MiB },
  label: `libp2p stream, window ${window} MiB`
})

const grpc = (secure) => ({
  module: './kinds/grpc.mjs',
  options: { secure, chunk: MiB / 4, window: 4 * MiB },
  label: secure ? 'gRPC over TLS' : 'gRPC, not encrypted'
})

const gloo = (threads) => ({
  module: './kinds/gloo.mjs',
  options: { threads },
  label: `PyTorch Gloo, ${threads === 1 ? '1 thread' : 'all threads'}, not encrypted`
})

/**
 * By name: the module, what it is told, and how the tables call it. `chunk` is how many bytes are written at once, and
 * `window` how many may be on their way; both are those at which the kind was fastest.
 */
export const kinds = {
  'murmuration': murmuration('float32'),
  'murmuration-float16': murmuration('float16'),
  'murmuration-int8': murmuration('int8'),
  'libp2p': { ...libp2p(4), label: 'libp2p stream (noise, yamux)' },
  'libp2p-1': libp2p(1),
  'libp2p-16': libp2p(16),
  'net': { module: './kinds/net.mjs', options: { chunk: MiB }, label: 'node:net, not encrypted' },
  'cipher': { module: './kinds/cipher.mjs', options: {}, label: 'the cipher alone, no network' },
  'tls': { module: './kinds/tls.mjs', options: { chunk: MiB }, label: 'node:tls 1.3' },
  'grpc': grpc(false),
  'grpc-tls': grpc(true),
  'http2': { module: './kinds/http2.mjs', options: { chunk: MiB, window: MiB }, label: 'node:http2, not encrypted' },
  'websocket': { module: './kinds/websocket.mjs', options: { chunk: MiB }, label: 'ws + msgpack, not encrypted' },
  'gloo': gloo(1),
  'gloo-threads': gloo(0),
  'hivemind': { module: './kinds/hivemind.mjs', options: {}, label: 'hivemind, without finding a group' }
}

/** Those of the table of pairs. */
export const exchangeKinds = Object.keys(kinds).filter((name) => !/^libp2p-/.test(name))

/** Those of them that take long and tell the least. */
export const slowKinds = ['grpc-tls', 'websocket', 'gloo-threads']

/** Those of rings and stars. */
export const neighbourKinds = ['murmuration', 'libp2p', 'net']

/** Those of the table of latencies. */
export const latencyKinds = ['murmuration', 'libp2p-1', 'libp2p', 'libp2p-16', 'net']
