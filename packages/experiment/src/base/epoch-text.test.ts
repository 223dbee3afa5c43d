import { peerName } from '@murmuration/core'
import test from 'ava'
import { epochText } from './epoch-text.js'
import type { EpochEvent } from './events.js'

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(peerName)

const epoch: EpochEvent = {
  kind: 'epoch',
  peer: a,
  epoch: 1,
  round: 60,
  members: [a, c, d],
  servers: [],
  givers: [a, c, d],
  lost: [b],
  joined: [],
  seconds: 0.66
}

test('an epoch says who is gone, who continues in which round, from whose models, and how long it took', (t) => {
  t.is(epochText(epoch), 'a: epoch 1: b is gone; a, c, d continue in round 61 with the mean of their models (0.7 s)')
})

test('a peer that joins is no giver; one that is in both lists has started again', (t) => {
  const members = [a, c, d, e]
  const rest = 'a, c, d, e continue in round 61 with the mean of the models of a, c, d (0.7 s)'
  t.is(epochText({ ...epoch, members, lost: [], joined: [e] }), `a: epoch 1: e joins; ${rest}`)
  t.is(epochText({ ...epoch, members, joined: [e] }), `a: epoch 1: b is gone, e joins; ${rest}`)
  t.is(epochText({ ...epoch, members, lost: [e], joined: [e] }), `a: epoch 1: e has started again; ${rest}`)
})

test('an epoch of the same members says no change, one from a single model whose that is', (t) => {
  const same = { ...epoch, lost: [] }
  t.is(epochText({ ...same, givers: [c] }), 'a: epoch 1: a, c, d continue in round 61 with the model of c (0.7 s)')
  t.is(epochText({ ...same, members: [a], givers: [a] }), 'a: epoch 1: a continues in round 61 with its model (0.7 s)')
})

test('an epoch names its servers, and of many peers the first six', (t) => {
  t.is(
    epochText({ ...epoch, servers: [d], givers: [a, c] }),
    'a: epoch 1: b is gone; a, c, d continue in round 61 with the mean of the models of a, c; d serves (0.7 s)'
  )
  const members = Array.from({ length: 63 }, (_, place) => peerName(`p${place}`))
  t.is(
    epochText({ ...epoch, members, givers: members }),
    'a: epoch 1: b is gone; p0, p1, p2, p3, p4, p5 and 57 more continue in round 61 with the mean of their models (0.7 s)'
  )
})
