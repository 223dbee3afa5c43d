import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { contraction, structureFindings } from '@murmuration/topology'
import { parseTopologyFile, readTopologyFile, topologyFileJsonSchema } from './topology-file.js'

const directory = fileURLToPath(new URL('../../../../topologies/', import.meta.url))
const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('every topology that comes with the project is read, connected, and agrees in the end', async (t) => {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.yaml'))
  t.true(names.length >= 11)
  for (const name of names) {
    const { topology, peers } = await readTopologyFile(`${directory}${name}`)
    const size = /-(\d+)\.yaml$/.exec(name)?.[1] ?? '4'
    t.is(peers.length, Number(size), name)
    t.deepEqual(
      structureFindings(topology).filter(({ level }) => level === 'error'),
      [],
      name
    )
    t.true(contraction(topology).perPeriod < 1, name)
  }
})

test('peers may be a number, names, or names with ids and addresses', (t) => {
  const names = (peers: string) =>
    parseTopologyFile(`graph: ring\npeers: ${peers}`, 't.yaml').peers.map(({ name }) => name)
  t.deepEqual<string[], string[]>(names('3'), ['p1', 'p2', 'p3'])
  t.deepEqual<string[], string[]>(names('10').slice(-2), ['p09', 'p10'])
  t.deepEqual<string[], string[]>(names('[z, y]'), ['z', 'y'])
  const { peers } = parseTopologyFile(
    'graph: ring\npeers:\n  - name: a\n    addresses: [/dns4/example.org/tcp/4001]\n    listen: [/ip6/::/tcp/0]\n  - b\n',
    't.yaml'
  )
  t.deepEqual(peers, [
    {
      name: a,
      role: 'worker',
      id: undefined,
      invited: false,
      addresses: ['/dns4/example.org/tcp/4001'],
      listen: ['/ip6/::/tcp/0']
    },
    { name: b, role: 'worker', id: undefined, invited: false, addresses: [], listen: undefined }
  ])
})

test('the order of names p1 … pn is that of their numbers', (t) => {
  const { topology, peers } = parseTopologyFile('graph: ring\npeers: 120', 't.yaml')
  t.deepEqual(
    topology.peers,
    peers.map(({ name }) => name)
  )
})

test('weights are metropolis unless asked otherwise or given', (t) => {
  const rule = (graph: string) => parseTopologyFile(`graph: ${graph}\npeers: [a, b]`, 't.yaml').weights
  t.is(rule('ring'), 'metropolis')
  t.is(rule('ring\nweights: uniform'), 'uniform')
  t.is(rule('{ kind: edges, edges: [[a, b]] }'), 'metropolis')
  t.is(rule('{ kind: edges, edges: [[a, b, 1/3]] }'), 'given')
  t.is(rule('{ kind: matrix, rows: [[2/3, 1/3], [1/3, 2/3]] }'), 'given')
})

test('fractions are exact', (t) => {
  const { topology } = parseTopologyFile('graph: { kind: edges, edges: [[a, b, 1/3]] }\npeers: [a, b]', 't.yaml')
  t.is(topology.mixing(a, 0).receiveFrom[0].weight, 1 / 3)
})

test('links: what is said of the pair goes before the peers, and those before the default', (t) => {
  const { links } = parseTopologyFile(
    `graph: ring
peers: [a, b, c]
links:
  default: { latency: 10 ms, bandwidth: 25 Mbit/s, loss: 1 % }
  peers:
    a: { latency: 30 ms, up: 5 Mbit/s }
    b: { latency: 20 ms, bandwidth: 50 Mbit/s }
  pairs:
    - { between: [b, c], latency: 5 ms, bandwidth: 1 Mbit/s }
`,
    't.yaml'
  )
  t.deepEqual(links.access(a), { up: 5e6, down: 25e6 })
  t.deepEqual(links.access(b), { up: 50e6, down: 50e6 })
  t.deepEqual(links.access(c), { up: 25e6, down: 25e6 })
  const rest = { jitter: 0, loss: 0.01, window: Infinity, pipes: [] }
  t.deepEqual(links.path(a, b), { latency: 30, bandwidth: Infinity, ...rest })
  t.deepEqual(links.path(b, a), links.path(a, b))
  t.deepEqual(links.path(c, b), { latency: 5, bandwidth: 1e6, ...rest })
})

test('without links the network costs nothing', (t) => {
  const { links } = parseTopologyFile('graph: ring\npeers: [a, b]', 't.yaml')
  t.deepEqual(links.access(a), { up: Infinity, down: Infinity })
  t.deepEqual(links.path(a, b), { latency: 0, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity, pipes: [] })
})

const id = '12D3KooWG4NkYqDhzx4E2RgwWcHqgpSR3WBgpv7ycLRCCbn2zbaq'

const refusals: readonly (readonly [text: string, ...lines: RegExp[]])[] = [
  ['graph: rign\npeers: 4', /^t\.yaml:1:8: graph: found "rign".*did you mean "ring"\?$/],
  [
    'graph: { kind: edges, edges: [[a, bb]] }\npeers: [a, b]',
    /graph\.edges\[0\]\[1\]: found "bb".*did you mean "b"\?$/
  ],
  ['graph: { kind: toruss }\npeers: 4', /^t\.yaml:1:16: graph\.kind: found "toruss".*did you mean "torus"\?$/],
  ['graph: ring\nnpeers: 4', /peers: missing/, /^t\.yaml:2:1: found the key "npeers".*did you mean "peers"\?$/],
  ['graph: hypercube\npeers: 6', /^t\.yaml:1:8: graph\.kind: found 6 peers, expected a power of two/],
  ['graph: { kind: random-regular, degree: 3, seed: 1 }\npeers: 5', /^t\.yaml:1:40: .*expected an even number/],
  ['graph: { kind: random-regular, degree: 5, seed: 1 }\npeers: 5', /^t\.yaml:1:40: .*less than the 5 peers/],
  ['graph: { kind: random-regular, degree: 4 }\npeers: 5', /^t\.yaml:1:8: graph\.seed: missing/],
  ['graph: { kind: edges, edges: [[a, b], [c, d]] }\npeers: [a, b, c, d]', /^t\.yaml:1:8: .*2 parts.*a, b \| c, d/],
  [
    'graph: { kind: edges, edges: [[a, b], [b, e], [b, a], [c, c]] }\npeers: [a, b, c]',
    /^t\.yaml:1:43: graph\.edges\[1\]\[1\]: found "e", expected the name of a peer$/,
    /^t\.yaml:1:47: .*found the edge b, a again/,
    /^t\.yaml:1:55: .*an edge from "c" to itself/
  ],
  [
    'graph: { kind: edges, edges: [[a, b, 0.5], [b, c, 0.6], [c, d]] }\npeers: [a, b, c, d]',
    /^t\.yaml:1:44: .*found the sum 1\.1 on the edges of b, expected at most 1$/,
    /^t\.yaml:1:57: .*found no weight/
  ],
  [
    'graph: { kind: edges, edges: [[a, b, 0.5]] }\nweights: uniform\npeers: [a, b]',
    /^t\.yaml:1:38: .*found a weight with weights: uniform/
  ],
  [
    'graph: { kind: matrix, rows: [[0.5, 0.5], [0.5, 0.4]] }\npeers: [a, b]',
    /^t\.yaml:1:43: .*found the sum 0\.9 in the row of b/
  ],
  [
    'graph: { kind: matrix, rows: [[0.5, 0.5], [1]] }\npeers: [a, b]',
    /^t\.yaml:1:43: .*found 1 weights in the row of b, expected 2/
  ],
  ['graph: { kind: matrix, rows: [[1]] }\npeers: [a, b]', /^t\.yaml:1:30: .*found 1 rows, expected 2/],
  [
    'graph: { kind: matrix, rows: [[1.5, -0.5], [0, 1]] }\npeers: [a, b]',
    /1:32: .*found 1\.5, expected a number from 0 to 1$/,
    /1:37: .*found -0\.5, expected a number from 0 to 1$/
  ],
  ['graph: ring\nweights: given\npeers: 3', /^t\.yaml:2:10: weights: found "given" for ring/],
  ['graph: ring\npeers: [a, b, a]', /^t\.yaml:2:15: peers\[2\]: found "a" again/],
  ['graph: ring\npeers: [a, x y]', /^t\.yaml:2:12: peers\[1\]: found "x y", expected a name: /],
  [
    'graph: ring\npeers: [{ name: a, id: 12D3 }, b]',
    /^t\.yaml:2:24: peers\[0\]\.id: found "12D3", expected a libp2p peer id/
  ],
  [
    'graph: ring\npeers: [{ name: a, addresses: [/ip4/1.2.3.400/tcp/1, /ip4/1.2.3.4/tcp/0, /ip4/1.2.3.4/tcp/65536] }, b]',
    /^t\.yaml:2:32: .*expected a multiaddr/,
    /^t\.yaml:2:54: .*expected a multiaddr/,
    /^t\.yaml:2:74: .*expected a multiaddr/
  ],
  [
    'graph: ring\npeers: [a, b]\nlinks: { peers: { bb: {} } }',
    /^t\.yaml:3:19: links\.peers: found "bb".*did you mean "b"\?$/
  ],
  [
    'graph: ring\npeers: [a, b]\nlinks:\n  pairs:\n    - { between: [a, c] }\n    - { between: [a, b] }\n    - { between: [b, a] }',
    /^t\.yaml:5:22: links\.pairs\[0\]\.between\[1\]: found "c"/,
    /^t\.yaml:7:18: .*found the pair b, a again/
  ],
  ['graph: ring\npeers: [a, b]\nlinks: { default: { latancy: 1 ms } }', /^t\.yaml:3:21: .*did you mean "latency"\?$/],
  [
    'graph: ring\npeers: [a, b, { name: c, invited: true }]',
    /^t\.yaml:2:15: peers\[2\]: found "c" as invited and no runKey, expected runKey: /
  ],
  [
    `graph: ring\nrunKey: ${id}\npeers: [a, b, { name: c, invited: true, addresses: [/ip4/10.0.0.1/tcp/1] }]`,
    /^t\.yaml:3:15: peers\[2\]: found an id or address of "c", which is invited; expected none$/
  ],
  [
    'graph: ring\npeers: [a, { name: b, addresses: ["/ip6/fe80::1%eth0/tcp/1"], listen: [/ip4/10.0.0.1/tcp/01] }]',
    /^t\.yaml:2:35: peers\[1\]\.addresses\[0\]: found .*zone/,
    /^t\.yaml:2:72: peers\[1\]\.listen\[0\]: found .*expected the port without leading zeros, 1$/
  ],
  [
    `graph: ring\npeers: [a, { name: b, id: ${id}, addresses: [/dns4/b/tcp/1, /dns4/b/tcp/2/p2p/${id.replace('G', 'H')}] }]`,
    /^t\.yaml:2:108: peers\[1\]\.addresses\[1\]: found the id .*, the id of this peer$/
  ],
  [
    'graph: ring\npeers: [{ name: a, addresses: [/ip6/2001:db8::1/tcp/1] }, { name: b, addresses: [/ip6/2001:DB8:0::1/tcp/1] }]',
    /^t\.yaml:2:82: peers\[1\]\.addresses\[0\]: found "\/ip6\/2001:DB8:0::1\/tcp\/1" again/
  ],
  [`graph: ring\npeers: [a, { name: b, id: 12D3KooW${'z'.repeat(44)} }]`, /^t\.yaml:2:27: .*expected a libp2p peer id/],
  ['graph: ring\nrunKey: me\npeers: 3', /^t\.yaml:2:9: runKey: found "me", expected a libp2p peer id/],
  ['graph: ring\npeers: 0', /^t\.yaml:2:8: peers: found 0, expected at least 1/],
  ['graph: ring\npeers: 10001', /^t\.yaml:2:8: peers: found 10001, expected at most 10000/]
]

test('what is wrong is refused, with the place, what was found, what was expected, and the nearest word', (t) => {
  for (const [text, ...lines] of refusals) {
    const error = t.throws(() => parseTopologyFile(text, 't.yaml'), { instanceOf: InputError }, text)
    const found = error?.message.split('\n') ?? []
    t.is(found.length, lines.length, error?.message)
    for (const [k, line] of lines.entries()) t.regex(found[k], line)
  }
})

test('a file that is not there is an input error with its path', async (t) => {
  await t.throwsAsync(readTopologyFile('/no/such/file.yaml'), {
    instanceOf: InputError,
    message: /^\/no\/such\/file\.yaml: /
  })
})

test('the JSON Schema has quantities as text with a pattern, and every kind of graph', (t) => {
  const text = JSON.stringify(topologyFileJsonSchema())
  t.regex(text, /Mbit\\\\?\/s/)
  for (const kind of ['ring', 'torus', 'random-regular', 'edges', 'matrix']) t.true(text.includes(`"${kind}"`))
  t.like(topologyFileJsonSchema(), { type: 'object', additionalProperties: false, required: ['graph', 'peers'] })
})

test('another peer dials a port from 1 to 65535; a peer can listen on port 0 too', (t) => {
  const read = (key: string, port: number) =>
    parseTopologyFile(`graph: ring\npeers:\n  - { name: a, ${key}: [/ip4/10.0.0.1/tcp/${port}] }\n  - b\n`, 't.yaml')
  for (const port of [1, 65535]) t.deepEqual(read('addresses', port).peers[0].addresses, [`/ip4/10.0.0.1/tcp/${port}`])
  t.deepEqual(read('listen', 0).peers[0].listen, ['/ip4/10.0.0.1/tcp/0'])
  t.throws(() => read('addresses', 0), { message: /with a port above 0/ })
  for (const key of ['addresses', 'listen']) t.throws(() => read(key, 65536), { message: /a multiaddr of TCP/ })
})

test('peers behind one relay have its address', (t) => {
  const relayed = `/ip4/203.0.113.5/tcp/4001/p2p/${id}/p2p-circuit`
  const peer = (name: string) => `{ name: ${name}, addresses: [${relayed}] }`
  const { peers } = parseTopologyFile(`graph: ring\npeers: [${peer('a')}, ${peer('b')}]`, 't.yaml')
  t.deepEqual(peers.map(({ addresses }) => addresses), [[relayed], [relayed]]) // oxfmt-ignore
})

test('servers stand apart from the peers of the graph, and links may speak of them', (t) => {
  const text = 'graph: ring\npeers: [a, { name: s, role: server }, b]\nlinks: { peers: { s: { bandwidth: 1 Gbit/s } } }'
  const { topology, peers, servers, links } = parseTopologyFile(text, 't.yaml')
  t.deepEqual([topology.peers.join(), peers.map(({ name }) => name).join()], ['a,b', 'a,b'])
  t.deepEqual(
    servers.map(({ name, role }) => [name, role]),
    [['s', 'server']]
  )
  t.is(links.access(servers[0].name).up, 1e9)
  const alone = 'graph: ring\npeers: [{ name: s, role: server }]'
  t.throws(() => parseTopologyFile(alone, 't.yaml'), { message: /found only servers, expected a worker/ })
})

test('a tree follows from the latencies of the file', (t) => {
  const near = ['[a, d], latency: 1 ms', '[d, b], latency: 2 ms', '[b, c], latency: 3 ms']
  const pairs = near.map((pair) => `{ between: ${pair} }`).join(', ')
  const neighboursIn = (links: string) => {
    const { topology } = parseTopologyFile(`graph: tree\npeers: [a, b, c, d]\nlinks: { ${links} }`, 't.yaml')
    return topology.peers.map((peer) => topology.mixing(peer, 0).sendTo.map(({ name }) => name).join(' ')) // oxfmt-ignore
  }
  t.deepEqual(neighboursIn(`default: { latency: 50 ms }, pairs: [${pairs}]`), ['d', 'c d', 'b', 'a b'])
  t.deepEqual(neighboursIn('default: { latency: 50 ms }'), ['b c d', 'a', 'a', 'a'])
})
