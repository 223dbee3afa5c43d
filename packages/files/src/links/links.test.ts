import { InputError, type Links, peerName } from '@murmuration/core'
import test from 'ava'
import { parseLinksFile } from './links-file.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)
const [a, b, c, d] = peers
const server = peerName('server')

const linksOf = (text: string): Links => parseLinksFile(text, 'l.yaml', peers)

test('of windows the smaller of two peers counts, and that of the pair before both', (t) => {
  const { path } = linksOf(
    `default: { window: 1 MiB }
peers:
  a: { window: 64 KiB }
  b: { window: 32 KiB }
pairs: [{ between: [b, a], window: 2 MiB }]`
  )
  t.is(path(a, c).window, 65_536)
  t.is(path(b, c).window, 32_768)
  t.is(path(a, b).window, 2 ** 21)
  t.is(path(c, d).window, 2 ** 20)
})

test('a full-duplex pipe around a group is a line for each direction; what stays within goes past it', (t) => {
  const { path } = linksOf(`pipes: [{ name: house, up: 5 Mbit/s, down: 50 Mbit/s, peers: [a, b] }]`)
  t.deepEqual(path(a, c).pipes, [{ name: 'house up', bandwidth: 5e6 }])
  t.deepEqual(path(b, server).pipes, [{ name: 'house up', bandwidth: 5e6 }])
  t.deepEqual(path(d, b).pipes, [{ name: 'house down', bandwidth: 50e6 }])
  t.deepEqual(path(a, b).pipes, [])
  t.deepEqual(path(c, d).pipes, [])
})

test('a half-duplex pipe is one line for both directions', (t) => {
  const { path } = linksOf(`pipes: [{ name: radio, bandwidth: 6 Mbit/s, duplex: half, peers: [a] }]`)
  t.deepEqual(path(a, b).pipes, [{ name: 'radio', bandwidth: 6e6 }])
  t.deepEqual(path(b, a).pipes, path(a, b).pipes)
})

test('a pipe between two groups carries what goes from one to the other, and pipes add up', (t) => {
  const { path } = linksOf(
    `pipes:
  - { name: atlantic, bandwidth: 1 Gbit/s, between: [[a, b], [c]] }
  - { name: house, bandwidth: 10 Mbit/s, peers: [a] }`
  )
  t.deepEqual(path(a, c).pipes, [
    { name: 'atlantic 1→2', bandwidth: 1e9 },
    { name: 'house up', bandwidth: 10e6 }
  ])
  t.deepEqual(path(c, b).pipes, [{ name: 'atlantic 2→1', bandwidth: 1e9 }])
  t.deepEqual(path(b, d).pipes, [])
})

test('presets fill the default, and what the file says wins', (t) => {
  const lan = linksOf('preset: lan')
  t.deepEqual(lan.access(a), { up: 1e9, down: 1e9 })
  t.like(lan.path(a, b), { latency: 0.2, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity })
  t.like(linksOf('preset: datacentre').path(a, b), { latency: 0.05 })
  t.deepEqual(linksOf('preset: datacentre').access(a), { up: 10e9, down: 10e9 })
  const home = linksOf('preset: home')
  t.true(home.access(a).up < home.access(a).down)
  t.true(home.path(a, b).latency > 0 && home.path(a, b).jitter > 0)
  const own = linksOf(`preset: home\ndefault: { bandwidth: 8 Mbit/s, latency: 1 ms }\npeers: { b: { up: 1 Mbit/s } }`)
  t.deepEqual(own.access(a), { up: 8e6, down: 8e6 })
  t.deepEqual(own.access(b), { up: 1e6, down: 8e6 })
  t.like(own.path(a, b), { latency: 1, jitter: home.path(a, b).jitter })
  t.is(linksOf('preset: home\ndefault: { up: 1 Mbit/s }').access(a).down, home.access(a).down)
})

test('in the wide-area preset a pair has half the ping and the measured rate, and a region is a datacentre', (t) => {
  const links = linksOf('preset: wan\nregions: { c: Oregon, d: Sydney }')
  t.like(links.path(a, b), { latency: 33.5, bandwidth: 0.79e9, window: Infinity })
  t.deepEqual(links.path(b, a), links.path(a, b))
  t.like(links.path(a, c), { latency: 0.05, bandwidth: Infinity })
  t.like(links.path(server, d), { latency: 69.5, bandwidth: 0.36e9 }, 'a server is where the first peer is')
  t.deepEqual(links.access(d), { up: 10e9, down: 10e9 })
  const own = linksOf(
    `preset: wan
default: { latency: 5 ms, jitter: 1 ms }
peers: { b: { latency: 7 ms, bandwidth: 1 Mbit/s } }
pairs: [{ between: [c, d], latency: 1 ms, bandwidth: 2 Gbit/s }]`
  )
  t.like(own.path(a, c), { latency: 5, jitter: 1, bandwidth: 1.1e9 })
  t.like(own.path(a, b), { latency: 7, bandwidth: 0.79e9 })
  t.like(own.path(c, d), { latency: 1, bandwidth: 2e9 })
  t.deepEqual(own.access(b), { up: 1e6, down: 1e6 })
})

test('an empty links file is a network that costs nothing', (t) => {
  t.deepEqual(linksOf('# nothing\n').path(a, b), linksOf('default: {}').path(c, d))
  t.is(linksOf('').path(a, b).latency, 0)
})

const refusals: readonly (readonly [text: string, ...lines: RegExp[]])[] = [
  ['preset: datacenter', /^l\.yaml:1:9: preset: found "datacenter".*did you mean "datacentre"\?$/],
  ['regions: { a: Oregon }', /^l\.yaml:1:1: found regions, expected them only with preset: wan$/],
  ['preset: lan\nregions: { a: Oregon }', /^l\.yaml:2:1: found regions, expected them only with preset: wan/],
  ['preset: wan\nregions: { a: Oregano }', /^l\.yaml:2:15: regions\.a: found "Oregano".*did you mean "Oregon"\?$/],
  ['preset: wan\nregions: { aa: Oregon }', /^l\.yaml:2:12: regions: found "aa".*did you mean "a"\?$/],
  ['default: { window: 64 kib }', /^l\.yaml:1:20: default\.window: found "64 kib", expected an amount of data/],
  ['default: { loss: 100 % }', /^l\.yaml:1:18: default\.loss: found 1, expected less than 100 %/],
  ['default: { window: 0 B }', /^l\.yaml:1:20: default\.window: found 0, expected more than 0 B$/],
  ['pipes: [{ name: x, bandwidth: 1 Mbit/s, peers: [a, e] }]', /^l\.yaml:1:52: pipes\[0\]\.peers\[1\]: found "e"/],
  ['pipes: [{ name: x, bandwidth: 1 Mbit/s, peers: [a, a] }]', /^l\.yaml:1:52: .*found "a" again/],
  ['pipes: [{ name: x, peers: [a] }]', /^l\.yaml:1:9: pipes\[0\]: missing, expected bandwidth, or up and down$/],
  ['pipes: [{ name: x, up: 1 Mbit/s, peers: [a] }]', /^l\.yaml:1:9: .*found only "up", expected "down" or bandwidth/],
  [
    'pipes: [{ name: x, up: 1 Mbit/s, down: 1 Mbit/s, duplex: half, peers: [a] }]',
    /^l\.yaml:1:20: pipes\[0\]: found "up" of a half-duplex pipe, expected bandwidth$/
  ],
  ['pipes: [{ name: x, bandwidth: 1 Mbit/s, peers: [a, b, c, d] }]', /^l\.yaml:1:48: .*found all peers/],
  [
    'pipes: [{ name: x y, bandwidth: 1 Mbit/s, peers: [a] }]',
    /^l\.yaml:1:17: pipes\[0\]\.name: found "x y", expected a/
  ],
  ['pipes: [{ name: x, bandwith: 1 Mbit/s, peers: [a] }]', /^l\.yaml:1:20: .*did you mean "bandwidth"\?$/],
  ['pipes: [{ name: x, bandwidth: 1 Mbit/s, between: [[a]] }]', /^l\.yaml:1:50: .*expected two lists of peers$/],
  [
    'pipes: [{ name: x, bandwidth: 1 Mbit/s, between: [[a, b], [b, c]] }]',
    /^l\.yaml:1:60: pipes\[0\]\.between\[1\]\[0\]: found "b" on both sides, expected it on one$/
  ],
  [
    `pipes:
  - { name: x, bandwidth: 1 Mbit/s, peers: [a] }
  - { name: x, bandwidth: 1 Mbit/s, between: [[a], [bb]] }`,
    /^l\.yaml:3:13: pipes\[1\]\.name: found the pipe "x" again/,
    /^l\.yaml:3:53: pipes\[1\]\.between\[1\]\[0\]: found "bb".*did you mean "b"\?$/
  ]
]

test('what is wrong with links is refused, with the place, what was found and what was expected', (t) => {
  for (const [text, ...lines] of refusals) {
    const error = t.throws(() => linksOf(text), { instanceOf: InputError }, text)
    const found = error?.message.split('\n') ?? []
    t.is(found.length, lines.length, error?.message)
    for (const [k, line] of lines.entries()) t.regex(found[k], line)
  }
})
