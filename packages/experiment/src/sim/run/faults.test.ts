import { peerName } from '@murmuration/core'
import test from 'ava'
import { faultsOf } from './faults.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const peers = [a, b, c]

const methods = `
  - { algorithm: dpsgd }
  - { algorithm: parameter-server }
  - { algorithm: parameter-server, on: b }`

test('what happens to a machine happens to the servers on it, and to nobody where it is not part of the run', async (t) => {
  const scenario = await scenarioOf({
    methods,
    faults: `
  rules: [{ from: b, do: drop }, { from: server, do: pass }]
  events:
    - { at: 1 s, do: crash, peer: server }
    - { at: 2 s, do: crash, peer: b }
    - { at: 3 s, do: partition, groups: [[a], [b]] }
    - { at: 4 s, do: clog, from: b, to: a }`
  })
  const [gossip, own, placed] = scenario.methods.map((method) => faultsOf(scenario, { method, seed: 1 }, peers))
  const server = peerName('server')
  const told = (faults: typeof gossip) =>
    faults.events.map((event) => ('peer' in event ? event.peer : 'from' in event ? event.from : event.kind))
  t.deepEqual<string[], string[]>(told(gossip), [b, 'partition', b])
  t.deepEqual(gossip.rules, [{ from: b, verdict: 'drop' }])
  t.deepEqual<string[], string[]>(told(own), [server, b, 'partition', b])
  t.is(own.rules.length, 2)
  t.deepEqual<string[], string[]>(told(placed), [b, server, 'partition', b, server])
  t.deepEqual(placed.rules, [
    { from: b, verdict: 'drop' },
    { from: server, verdict: 'drop' }
  ])
  t.deepEqual(placed.events[2], { at: 3000, kind: 'partition', groups: [[a], [b, server]] })
})

test('drawn faults are the same for a seed, others for another, and come beside the events', async (t) => {
  const scenario = await scenarioOf({
    faults: '{ events: [{ at: 1 us, do: skew, peer: a, factor: 2 }], random: { freezes: 3, within: 60 s } }'
  })
  const [method] = scenario.methods
  const drawn = (seed: number) => faultsOf(scenario, { method, seed }, peers).events
  t.is(drawn(1).length, 7)
  t.is(drawn(1)[0].kind, 'skew')
  t.deepEqual(drawn(1), drawn(1))
  t.notDeepEqual(drawn(1), drawn(2))
  t.deepEqual(faultsOf(scenario, { method, seed: 1 }, [a]).events.length, 1, 'one peer alone has none')
})

test('churn is the same for all methods, spares whom an event names, and takes a server along with its machine', async (t) => {
  const scenario = await scenarioOf({
    methods,
    faults: `
  events: [{ at: 1 s, do: freeze, peer: a }, { at: 1 s, do: crash, peer: server }]
  churn: { perMinute: 100 %, back: 1 s, until: 10 min }`
  })
  const [gossip, own, placed] = scenario.methods.map((method) => faultsOf(scenario, { method, seed: 1 }, peers).events)
  const of = (events: typeof gossip, name: string) => events.filter((event) => 'peer' in event && event.peer === name)
  t.true(of(gossip, b).length > 2)
  t.deepEqual(of(own, b), of(gossip, b))
  t.is(of(gossip, a).length, 1)
  t.is(of(own, 'server').length, 1)
  t.deepEqual(
    of(placed, 'server').map(({ at, kind }) => [at, kind]),
    of(gossip, b).map(({ at, kind }) => [at, kind])
  )
})
