import { parseTopologyFile } from '@murmuration/files'
import test from 'ava'
import { topologyReport, topologyReportJson } from './topology-report.js'

const facts = (text: string) => topologyReportJson(parseTopologyFile(text, 't.yaml'))
const report = (text: string) => topologyReport(parseTopologyFile(text, 't.yaml'))

test('a ring of four, as people read it', (t) => {
  t.is(
    report('graph: ring\npeers: [c, a, d, b]'),
    `peer  own     from neighbours
c     0.3333  a 0.3333, b 0.3333
a     0.3333  c 0.3333, d 0.3333
d     0.3333  a 0.3333, b 0.3333
b     0.3333  c 0.3333, d 0.3333

graph                         ring
weights                       metropolis
peers                         4
edges                         4
neighbours of a peer          2
diameter                      2
rounds of a period            1
spectral gap                  0.6667
λ₂, λₙ                        0.3333, -0.3333
rounds to agree to 1/1000     7
rounds to agree to 1/1000000  13

ok       Every peer reaches every other.
ok       The weights of each peer sum to 1.
ok       No weight is below 0.
ok       Each peer keeps a part of its own parameters.
ok       Each peer's weights in all averages sum to 1, so that averaging preserves the mean.
ok       Neighbours give each other the same weight.
ok       Disagreement falls to a thousandth within 7 rounds.`
  )
})

test('a changing topology is listed round by round', (t) => {
  const lines = report('graph: one-peer-exponential\npeers: 4').split('\n')
  t.deepEqual(lines.slice(0, 3), [
    'peer  round    own  from neighbours',
    'p1    0 mod 2  0.5  p4 0.5',
    'p1    1 mod 2  0.5  p3 0.5'
  ])
  t.regex(lines.join('\n'), /Plain averaging is exact after 2 rounds/)
})

test('more than 32 peers are not listed one by one, in JSON they are', (t) => {
  const text = 'graph: ring\npeers: 40'
  t.regex(report(text), /p32 .*\n… and 8 more peers; --json lists all of them\n/)
  t.notRegex(report(text), /^p33/m)
  t.is(facts(text).rows.length, 40)
})

test('the facts of a star are those of the textbook', (t) => {
  const { edges, degree, diameter, spectralGap } = facts('graph: star\npeers: 5')
  t.deepEqual([edges, degree, diameter], [4, { smallest: 1, mean: 1.6, largest: 4 }, 2])
  t.true(Math.abs(spectralGap - 0.2) < 1e-12)
})

test('directed edges count once for each pair that exchanges', (t) => {
  t.is(facts('graph: exponential\npeers: 8').edges, 20)
  t.is(facts('graph: { kind: matrix, rows: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]] }\npeers: 3').edges, 3)
})

test('a consensus that is not guaranteed is reported in words, and as null in JSON, which has no Infinity', (t) => {
  const text = 'graph: { kind: matrix, rows: [[0, 1], [1, 0]] }\npeers: 2'
  t.deepEqual(facts(text).roundsToConsensus, { thousandth: null, millionth: null })
  t.regex(report(text), /rounds to agree to 1\/1000 +not guaranteed/)
  t.regex(report(text), /ERROR {4}Disagreement may never fade: λₙ of W is −1/)
  t.deepEqual(JSON.parse(JSON.stringify(facts(text))), facts(text))
})

test('eigenvalues near 1 keep the digits that tell them from it', (t) => {
  t.regex(report('graph: ring\npeers: 1000'), /spectral gap +0\.00001316\n(?:.*\n)?λ₂, λₙ +0\.99998684/)
})

test('a peer of another machine without an id, which "murmur peer" refuses, is a finding', (t) => {
  const findings = (b: string) => facts(`graph: ring\npeers: [a, { name: b, ${b} }]`).findings
  const found = findings('addresses: [/ip4/10.0.0.1/tcp/1]').at(-1)
  t.is(found?.level, 'warning')
  t.regex(found?.message ?? '', /^b .*"murmur identity b"/)
  t.is(findings('addresses: [/ip4/127.0.0.1/tcp/1]').at(-1)?.level, 'ok')
})

test('on links with bandwidths it says what limits an all-reduce, and what each collective takes', (t) => {
  const text = `graph: ring
peers: [a, b, c, d]
links: { default: { bandwidth: 100 Mbit/s, latency: 10 ms }, peers: { c: { up: 2 Mbit/s } } }`
  const { allReduce } = facts(text)
  t.true(Math.abs((allReduce?.bound ?? 0) / 2e6 - 1) < 1e-6)
  t.deepEqual(allReduce?.limits, ['c up'])
  const { ring, trees } = allReduce?.milliseconds[2 ** 24] ?? {}
  // A ring sends 2 (n − 1)/n of the vector over each line, trees the vector once over the thin one.
  t.true(Math.abs(ring / ((1.5 * 8 * 2 ** 24) / 2e3) - 1) < 0.03, `${ring} ms`)
  t.true(Math.abs(trees / ((8 * 2 ** 24) / 2e3) - 1) < 0.03, `${trees} ms`)
  t.regex(report(text), /^An all-reduce carries at most 2 Mbit\/s of the vector, limited by c up\. Predicted times:$/m)
  t.regex(report(text), /^all-reduce +ring +halving-doubling +direct +trees +auto$/m)
  t.regex(report(text), /^16 MiB .* 6[78]\.\d s +6[78]\.\d s$/m)
  const sized = topologyReportJson(parseTopologyFile(text, 't.yaml'), 5000).allReduce
  t.deepEqual(Object.keys(sized?.milliseconds ?? {}), ['5000'])
  for (const without of ['', 'links: { default: { latency: 1 ms } }'])
    t.is(facts(`graph: ring\npeers: 4\n${without}`).allReduce, undefined)
})

test('stages: the graph is that of each, and the peers of a line are listed', (t) => {
  const text = 'graph: ring\nstages: 2\npeers: 6'
  t.deepEqual<unknown, unknown>(facts(text).lines, [
    ['p1', 'p2'],
    ['p3', 'p4'],
    ['p5', 'p6']
  ])
  t.is(facts(text).diameter, 1)
  t.is(facts(text).edges, 6)
  t.deepEqual(
    facts(text).findings.filter(({ level }) => level !== 'ok'),
    []
  )
  t.regex(report(text), /\nstages +2\nlines +p1 → p2, p3 → p4, p5 → p6\n/)
})
