import { InputError } from '@murmuration/core'
import test from 'ava'
import { scenarioOf } from './scenario.test.support.js'

/**
 * One mistake each: the lines that differ from a valid scenario, and the message, with … for any text. Title, topology,
 * task and methods are lines 1 to 4; other lines follow.
 */
const mistakes: readonly (readonly [lines: Readonly<Record<string, string>>, message: string])[] = [
  [{ title: '5' }, '1:8: title: found 5, expected text (in quotes where it looks like a number)'],
  [{ titel: 'x' }, '5:1: found the key "titel", …; did you mean "title"?'],
  [{ topology: 'none.yaml' }, "2:11: topology: …none.yaml'"],
  [{ topology: '{ graph: rign, peers: 3 }' }, '2:20: topology.graph: found "rign", expected …; did you mean "ring"?'],
  [
    { topology: '{ graph: ring, peers: [a, b, c], links: { default: { latency: 10 } } }' },
    '2:73: topology.links.default.latency: found 10, expected a time such as "10 ms" (us, ms, s, min, h)'
  ],
  [
    {
      topology: '{ graph: ring, peers: [a, b, c], links: { peers: { srever: { latency: 1 ms } } } }',
      methods: '[{ algorithm: parameter-server }]'
    },
    '2:62: topology.links.peers: found "srever", expected the name of a peer; did you mean "server"?'
  ],
  [
    { topology: '{ graph: { kind: matrix, rows: [[0, 1], [1, 0]] }, peers: [a, b] }' },
    '2:20: topology.graph: found weights that do not guarantee consensus, expected others. Disagreement may never fade: λₙ of W is −1, so that two groups swap their values forever: give peers a self weight above 0.'
  ],
  [
    { methods: '[{ algorithm: all-reduce, exchange: tensors }]' },
    '4:46: methods[0].exchange: found "tensors", expected fusion: per-tensor (or fused) in place of exchange, and calls: blocking to wait for each tensor'
  ],
  [
    { methods: '[{ algorithm: { name: all-reduce, collective: halving-doubling, fusion: per-tensor } }]' },
    '4:11: methods[0]: found halving-doubling per tensor with streamed calls, expected calls: blocking, since each step needs all of the previous step'
  ],
  [{ topology: '5' }, '2:11: topology: found 5, expected the path of a topology file, or a mapping'],
  [{ task: '5' }, '3:7: task: found 5, expected one of mlp, cnn, …, or a mapping'],
  [{ task: 'sofmax' }, '3:7: task: found "sofmax", expected one of mlp, cnn, …, or a mapping; did you mean "softmax"?'],
  [{ task: '{ kind: softmax, dimension: 3 }' }, '3:24: task: found the key "dimension", expected kind'],
  [{ task: '{ kind: quadratic, dimenson: 3 }' }, '3:26: task: found the key "dimenson", …; did you mean "dimension"?'],
  [
    { task: '{ kind: quadratic, smallestSingular: 2 }' },
    '3:44: task.smallestSingular: found 2, expected at most largestSingular, 1'
  ],
  [
    { task: '{ kind: quadratic, noise: 1, samples: 1 }' },
    '3:45: task.samples: found 1, expected at least 2, since noise is the difference of samples'
  ],
  [
    { task: 'softmax', data: 'digts' },
    '5:7: data: found "digts", expected one of digits, gaussians, sentences, mnist, mnist-t10k, fashion-mnist, cifar-10, tiny-shakespeare, or a mapping such as { path: ./samples.csv }; did you mean "digits"?'
  ],
  [{ task: 'softmax', test: '0 %' }, '5:7: test: found 0, expected more than 0 % and less than 100 %'],
  [{ network: '{ efficiency: 0.97 }' }, '5:24: network.efficiency: found 0.97, expected a fraction such as "1 %" (%)'],
  [{ network: '{ efficiency: 0 % }' }, '5:24: network.efficiency: found 0, expected more than 0 %'],
  [
    { network: '{ transport: datagrams }' },
    '5:23: network.transport: found "datagrams", expected one of stream, datagram; did you mean "datagram"?'
  ],
  [
    { network: '{ messageOverhead: 40 }' },
    '5:29: network.messageOverhead: found 40, expected an amount of data such as "2 MB" …'
  ],
  [
    { traffic: 'resnet20' },
    '5:10: traffic: found "resnet20", expected one of resnet-20, vgg-a, overfeat-fast, cd-dnn, or a mapping; did you mean "resnet-20"?'
  ],
  [
    { traffic: '{ size: 3 B, tensors: 1 }' },
    '5:18: traffic.size: found 3, expected a multiple of 4 B (float32), above 0 and at most 4 GiB'
  ],
  [{ traffic: '{ size: 256 MiB }' }, '5:10: traffic.tensors: missing, expected a number'],
  [{ batch: '0' }, '5:8: batch: found 0, expected at least 1'],
  [
    { rate: '{ inital: 1, decay: constant }' },
    '5:9: rate: found the key "inital", expected one of initial, warmup, decay, scale; did you mean "initial"?'
  ],
  [
    { rate: '{ decay: cosine }', stop: '{ time: 1 s }' },
    '5:16: rate.decay: found "cosine", expected constant, or a number of rounds: a cosine falls to 0 at the last round'
  ],
  [{ computing: '{ slow: { d: 3 } }' }, '5:22: computing.slow: found "d", expected the name of a peer'],
  [
    { computing: '{ perSample: 1 }' },
    '5:25: computing.perSample: found 1, expected a time such as "10 ms" (us, ms, s, min, h)'
  ],
  [
    { computing: '{ stragglers: lognormal }' },
    '5:26: computing.stragglers: found "lognormal", expected none, or a mapping such as { kind: log-normal, sigma: 0.5 }'
  ],
  [
    { computing: '{ stragglers: { kind: lognormal } }' },
    '5:34: computing.stragglers.kind: found "lognormal", expected one of none, shifted-exponential, log-normal, slow-now-and-then, trace; did you mean "log-normal"?'
  ],
  [
    { computing: '{ stragglers: { kind: log-normal } }' },
    '5:26: computing.stragglers.sigma: missing, expected a number'
  ],
  [{ vary: '{ bandwith: [1 Mbit/s] }' }, '5:9: vary: found the key "bandwith", …; did you mean "bandwidth"?'],
  [{ vary: '{ bandwidth: 1 Mbit/s }' }, '5:20: vary.bandwidth: found "1 Mbit/s", expected a list'],
  [
    { vary: '{ bandwidth: [1 Mbit/s, 1 mbit/s] }' },
    '5:31: vary.bandwidth[1]: found "1 mbit/s", expected a rate such as "25 Mbit/s" …'
  ],
  [{ vary: '{ latency: [1 ms, 1000 us] }' }, '5:25: vary.latency[1]: found this value again, expected it once'],
  [{ vary: '{ peers: [4] }' }, '5:9: vary: found "peers", expected it only with a topology whose peers are a number'],
  [
    { topology: '{ graph: ring, peers: 4 }', vary: '{ peers: [4, 6], graph: [ring, hypercube] }' },
    '5:38: vary.graph[1].kind: found 6 peers, expected a power of two for a hypercube (4 or 8) (with 6 peers)'
  ],
  [
    { topology: '{ graph: hypercube, peers: 4 }', vary: '{ peers: [4, 6] }' },
    '5:20: vary.peers[1]: found 6 peers, expected a power of two for a hypercube (4 or 8) (with 6 peers)'
  ],
  [
    { vary: '{ graph: [ring, { kind: random-regular, degree: 1, seed: 1 }] }' },
    '5:55: vary.graph[1].degree: found 1, expected an even number, since the number of peers, 3, is odd'
  ],
  [
    { vary: '{ links: {} }' },
    '5:16: vary.links: found a mapping, expected at least one name with links, such as home: { preset: home }'
  ],
  [{ vary: '{ links: [{ preset: lan }] }' }, '5:16: vary.links: found a list of 1, expected a mapping'],
  [
    { vary: '{ links: { x: { preset: lann } } }' },
    '5:31: vary.links.x.preset: found "lann", expected …; did you mean "lan"?'
  ],
  [
    { vary: '{ graph: [ring, complete], links: { x: {}, y: { peers: { d: { latency: 1 ms } } } } }' },
    '5:64: vary.links.y.peers: found "d", expected the name of a peer'
  ],
  [
    { vary: '{ links: { x: {} } }', timeline: '{ to: 1 s, at: { links: y } }' },
    '6:35: timeline.at.links: found a value that vary.links does not have, expected x'
  ],
  [
    { task: 'softmax', vary: '{ heterogeneity: [1] }' },
    '5:9: vary: found "heterogeneity", expected it only with task: quadratic'
  ],
  [{ methods: '[]' }, '4:10: methods: found a list of 0, expected at least 1 item'],
  [{ methods: '[{ algorithm: dspgd }]' }, '4:24: methods[0].algorithm: found "dspgd", …; did you mean "dpsgd"?'],
  [{ methods: '[{ name: x }]' }, '4:11: methods[0].algorithm: missing, …'],
  [
    { methods: '[{ algorithm: all-reduce, colective: ring }]' },
    '4:36: methods[0]: found the key "colective", expected one of algorithm, name, batch, codec, rate, optimiser, graph, fusion, servers, on, ownTime'
  ],
  [
    { methods: '[{ algorithm: { name: all-reduce, collective: rnig } }]' },
    '4:56: methods[0].algorithm.collective: found "rnig", expected one of ring, halving-doubling, direct, trees, auto; did you mean "ring"?'
  ],
  [
    { methods: '[{ algorithm: all-reduce, graph: ring }]' },
    '4:36: methods[0]: found graph, expected none: SGD on an all-reduce has no neighbours'
  ],
  [
    { methods: '[{ algorithm: dpsgd }, { algorithm: dpsgd }]' },
    '4:33: methods[1]: found the label "D-PSGD" again (method 1 has it), expected another: give it a name'
  ],
  [
    { methods: '[{ algorithm: sgd, name: x }, { algorithm: dpsgd, name: x }]' },
    '4:66: methods[1].name: found the label "x" again (method 1 has it), expected another: give it a name'
  ],
  [
    { methods: '[{ algorithm: dpsgd, graph: hypercube }]' },
    '4:38: methods[0].graph.kind: found 3 peers, expected a power of two for a hypercube (2 or 4)'
  ],
  [
    { methods: '[{ algorithm: parameter-server, on: worker }]' },
    '4:46: methods[0].on: found "worker", expected own, workers or the name of a peer; did you mean "workers"?'
  ],
  [
    { methods: '[{ algorithm: parameter-server, on: workers, servers: 4 }]' },
    '4:64: methods[0].servers: found 4, expected at most 3, one on each worker'
  ],
  [
    { methods: '[{ algorithm: parameter-server, servers: 11 }]' },
    '4:51: methods[0].servers: found 11 servers, expected at most 10, the parameters to divide'
  ],
  [
    { topology: '{ graph: ring, peers: 11 }', methods: '[{ algorithm: parameter-server, on: workers }]' },
    '4:46: methods[0].on: found 11 servers, expected at most 10, the parameters to divide'
  ],
  [
    { topology: '{ graph: ring, peers: [a, server] }', methods: '[{ algorithm: parameter-server }]' },
    '4:11: methods[0]: found a peer named "server", which is the name of a server'
  ],
  [
    { methods: '[{ algorithm: { name: stale-synchronous, staleness: -1 } }]' },
    '4:62: methods[0].algorithm.staleness: found -1, expected at least 0'
  ],
  [
    { methods: '[{ algorithm: { name: local-sgd, period: 0 } }]' },
    '4:51: methods[0].algorithm.period: found 0, expected at least 1'
  ],
  [{ seed: '1', seeds: '2' }, '5:1: found seed and seeds, expected one of them'],
  [
    { data: 'digits', task: 'quadratic' },
    '5:1: found data, expected none: the task "quadratic" generates its own data'
  ],
  [
    { partition: 'local', task: 'softmax' },
    '5:12: partition: found "local", expected another: a simulation has no data of other machines'
  ],
  [
    { methods: '[{ algorithm: all-reduce, fusion: per-tensor }]' },
    '4:36: methods[0]: found per-tensor, expected it inside: algorithm: { name: all-reduce, fusion: per-tensor }'
  ],
  [
    { methods: '[{ algorithm: dpsgd, on: workers }]' },
    '4:31: methods[0]: found on, expected none: D-PSGD has no server'
  ],
  [{ seeds: '0' }, '5:8: seeds: found 0, expected at least 1'],
  [{ seeds: '[1, 2, 1]' }, '5:15: seeds[2]: found 1 again, expected it once'],
  [
    { seeds: '10000', vary: '{ latency: [1 ms, 2 ms, 3 ms, 4 ms, 5 ms, 6 ms, 7 ms, 8 ms, 9 ms, 10 ms, 11 ms] }' },
    '6:7: vary: found 110000 runs (latency 11 × methods 1 × seeds 10000), expected at most 100000'
  ],
  [{ stop: '{ round: 10 }' }, '5:9: stop: found the key "round", expected one of loss, time, peers'],
  [{ stop: '{ loss: 0 }' }, '5:15: stop.loss: found 0, expected more than 0'],
  [{ evaluate: '0' }, '5:11: evaluate: found 0, expected at least 1'],
  [
    { faults: '{ rules: [{ do: dorp }] }' },
    '5:25: faults.rules[0].do: found "dorp", expected one of drop, pass, delay; did you mean "drop"?'
  ],
  [{ faults: '{ rules: [{ do: drop, by: 1 ms }] }' }, '5:31: faults.rules[0]: found the key "by", …'],
  [
    { faults: '{ rules: [{ do: delay }] }' },
    '5:19: faults.rules[0].by: missing, expected a time such as "10 ms" (us, ms, s, min, h)'
  ],
  [
    { faults: '{ rules: [{ do: drop, from: d }] }' },
    '5:37: faults.rules[0].from: found "d", expected the name of a peer'
  ],
  [
    { faults: '{ rules: [{ do: drop, after: 2 s, until: 1 s }] }' },
    '5:50: faults.rules[0].until: found 1000 ms, expected more than 2000 ms'
  ],
  [{ faults: '{ events: [{ at: 1 s, do: explode, peer: a }] }' }, '5:35: faults.events[0].do: found "explode", …'],
  [
    { faults: '{ events: [{ at: 1 s, do: thaw, peer: a }] }' },
    '5:35: faults.events[0].do: found thaw of a at 1000 ms, when it is up, expected it to be frozen'
  ],
  [
    { faults: '{ events: [{ at: 2 s, do: crash, peer: a }, { at: 3 s, do: freeze, peer: a }] }' },
    '5:68: faults.events[1].do: found freeze of a at 3000 ms, when it is crashed, expected it to be up'
  ],
  [
    { faults: '{ events: [{ at: 2 s, do: restart, peer: a }, { at: 3 s, do: crash, peer: a }] }' },
    '5:35: faults.events[0].do: found restart of a at 2000 ms, when it is up, expected it to be crashed'
  ],
  [
    { faults: '{ events: [{ at: 1 s, do: heal }] }' },
    '5:35: faults.events[0].do: found heal of the network at 1000 ms, when it is whole, expected it to be in parts'
  ],
  [
    { faults: '{ events: [{ at: 1 s, do: crash, peer: server }] }' },
    '5:48: faults.events[0].peer: found "server", expected the name of a peer'
  ],
  [
    { faults: '{ events: [{ at: 1 s, do: partition, groups: [[a, b], [b, c]] }] }' },
    '5:64: faults.events[0].groups[1][0]: found "b" again, expected it in one group'
  ],
  [
    { faults: '{ events: [{ at: 1 s, do: partition, groups: [[a]] }] }' },
    '5:54: faults.events[0].groups: found a list of 1, expected at least 2 items'
  ],
  [
    { faults: '{ events: [{ at: 1 s, do: clog, from: a, to: a }] }' },
    '5:54: faults.events[0].to: found "a" again, expected another peer'
  ],
  [
    { faults: '{ random: { crashes: 1 } }' },
    '5:19: faults.random.within: missing, expected a time such as "10 ms" (us, ms, s, min, h)'
  ],
  [
    { timeline: '{ to: 1 s, methods: [DPSGD] }' },
    '5:32: timeline.methods[0]: found "DPSGD", expected D-PSGD; did you mean "D-PSGD"?'
  ],
  [
    { timeline: '{ from: 2 s, to: 1 s }' },
    '5:28: timeline.to: found 1000 ms, expected more than 2000 ms, where it begins'
  ],
  [
    { timeline: '{ to: 1 s, at: { latency: 1 ms } }' },
    '5:28: timeline.at: found "latency", expected nothing, since nothing varies'
  ],
  [
    { vary: '{ latency: [1 ms, 2 ms] }', timeline: '{ to: 1 s, at: { latency: 3 ms } }' },
    '6:37: timeline.at.latency: found a value that vary.latency does not have, expected one of 1, 2'
  ],
  [
    { traffic: '{ tensors: [500] }', codec: 'int8' },
    '5:10: traffic: found traffic, expected none with the codec int8 of "D-PSGD"'
  ],
  ...['choco', 'power-sgd', 'robust-push-sum'].map((name): [Readonly<Record<string, string>>, string] => [
    { traffic: 'resnet-20', methods: `[dpsgd, { algorithm: ${name}, name: short }]` },
    '5:10: traffic: found traffic, expected none with "short", whose messages are compressed: how short they are depends on the trained numbers; omit traffic, and train a model of that size'
  ]),
  [{ timeout: '0 s' }, '5:10: timeout: found 0, expected more than 0 ms'],
  [{ rounds: '5', rate: '{ warmup: 9 }' }, '6:17: rate.warmup: found 9, expected at most 5, the rounds of the run'],
  [
    { rounds: '5', methods: '[{ algorithm: dpsgd, rate: { warmup: 9 } }]' },
    '4:47: methods[0].rate.warmup: found 9, expected at most 5, the rounds of the run'
  ],
  [{ membership: '{ quorum: 4 }' }, '5:23: membership.quorum: found 4, expected at most 3, the number of peers'],
  [
    { methods: '[{ algorithm: parameter-server, servers: 9 }]' },
    '4:51: methods[0].servers: found 9 servers, expected at most 3, as many as workers'
  ],
  [
    { methods: '[{ algorithm: { name: decoupled-diloco, quorum: 4 } }]' },
    '4:11: methods[0]: Decoupled DiLoCo needs 4 workers with these options, and found 3; lower the quorum'
  ],
  [{ vary: '{ loss: [100 %] }' }, '5:16: vary.loss[0]: found 1, expected less than 100 %, or nothing arrives'],
  [
    { faults: '{ random: { crashes: 1, within: 0 s } }' },
    '5:41: faults.random.within: found 0, expected more than 0 ms'
  ],
  [
    { codec: 'auto' },
    '5:8: codec: found "auto", expected a codec by name: auto chooses by the measured speed of real links'
  ],
  [{ methods: '[{ algorithm: d2, codec: int8 }]' }, '4:11: methods[0]: D² needs codec float32, and found int8: …'],
  [{ timeline: '{ to: 1 s, at: { seed: 2 } }' }, '5:34: timeline.at.seed: found 2, expected 1'],
  [
    { topology: '{ graph: ring, peers: 3 }', vary: '{ peers: [4, 16] }', computing: '{ slow: { p3: 2 } }' },
    '6:22: computing.slow: found "p3", expected the name of a peer; did you mean "p03"? (with 16 peers)'
  ]
]

test('what is wrong is refused, with the place, what was found, what was expected, and the nearest word', async (t) => {
  for (const [lines, expected] of mistakes) {
    const error = await t.throwsAsync(scenarioOf(lines), { instanceOf: InputError }, JSON.stringify(lines))
    const message = error?.message.replace(/^\S+\/s\.yaml:/, '') ?? ''
    const [start, end = start] = expected.split('…')
    t.true(message.startsWith(start) && message.endsWith(end), `${message}\n${expected}`)
    t.is(message.split('\n').length, 1, message)
    if (start === end) t.is(message, expected)
  }
})
