import { allAlgorithms } from '@murmuration/algorithms'
import { InputError, NeighboursMissingError, type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { LostError } from '../../base/errors.js'
import { Losses } from './losses.js'

const [a, b] = ['a', 'b'].map(peerName)
const killed = new LostError('the process of peer b ended by SIGKILL')
const missed = new NeighboursMissingError(
  [b],
  'peer a: a waited 2000 ms for the model of b in round 7: nothing arrived'
)

const lossesOf = (name: string, onLoss: 'continue' | 'stop' = 'stop', servers: readonly PeerName[] = []) => {
  const algorithm = allAlgorithms.find((each) => each.name === name)
  if (algorithm === undefined) throw new Error(`no algorithm ${name}`)
  const file = { servers: servers.map((each) => ({ name: each })) }
  const plan = { options: { algorithm }, training: { membership: { onLoss } }, file }
  return new Losses(plan as unknown as ConstructorParameters<typeof Losses>[0])
}

test('with onLoss: stop a lost process ends the run where it would continue in an epoch, whoever is lost', (t) => {
  const consequences = (name: string) => [killed, missed].map((error) => lossesOf(name).of(b, error).consequence)
  t.deepEqual(consequences('dpsgd'), ['the others continue', 'the others continue'])
  for (const name of ['motef', 'hop', 'local-sgd', 'async-diloco', 'relay-sgd', 'robust-push-sum'])
    t.deepEqual(consequences(name), ['the file says "onLoss: stop", so the run ends', undefined], name)
})

test('with onLoss: continue a loss ends only runs of keyed rows', (t) => {
  const consequences = (name: string) => [killed, missed].map((e) => lossesOf(name, 'continue').of(b, e).consequence)
  for (const name of ['motef', 'hop', 'all-reduce', 'async-diloco', 'relay-sgd', 'dpsgd'])
    t.deepEqual(consequences(name), ['the others continue', 'the others continue'], name)
  for (const [name, title] of [
    ['lapse', 'Lapse'],
    ['classic-server', 'Classic server']
  ])
    t.deepEqual(consequences(name), [`${title} needs every peer, so the run ends`, undefined])
})

test('the others continue without a worker, and without any service but the last', (t) => {
  const [s1, s2] = ['s1', 's2'].map(peerName)
  const losses = lossesOf('parameter-services', 'continue', [s1, s2])
  const consequences = [b, s2, b, s1].map((peer) => losses.of(peer, killed).consequence)
  t.deepEqual(consequences, [...Array(3).fill('the others continue'), 'no service is left, so the run ends'])
})

test('an error of a peer that misses others names the first lost process as its cause; other errors stay', (t) => {
  const losses = lossesOf('motef')
  t.is(losses.withCause(missed), missed)
  losses.of(b, killed)
  losses.of(a, new LostError('the process of peer a ended by SIGKILL'))
  const error = losses.withCause(missed) as Error
  t.is(error.message, `${killed.message}; then ${missed.message}`)
  t.is(error.name, 'LostError')
  const wrong = new InputError('wrong')
  for (const other of [wrong, killed, undefined]) t.is(losses.withCause(other), other)
})
