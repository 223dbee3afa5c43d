import { allAlgorithms } from '@murmuration/algorithms'
import { InputError, NeighboursMissingError, peerName } from '@murmuration/core'
import test from 'ava'
import { LostError } from '../../base/errors.js'
import { Losses } from './losses.js'

const [a, b] = ['a', 'b'].map(peerName)
const killed = new LostError('the process of peer b ended by SIGKILL')
const missed = new NeighboursMissingError(
  [b],
  'peer a: a waited 2000 ms for the model of b in round 7: nothing arrived'
)

const lossesOf = (name: string, onLoss: 'continue' | 'stop' = 'stop') => {
  const algorithm = allAlgorithms.find((each) => each.name === name)
  if (algorithm === undefined) throw new Error(`no algorithm ${name}`)
  return new Losses(algorithm, { onLoss })
}

test('a lost peer is reported with what follows for the others, where that is certain', (t) => {
  const consequences = (name: string) => [killed, missed].map((error) => lossesOf(name).of(b, error).consequence)
  for (const name of ['dpsgd', 'robust-push-sum'])
    t.deepEqual(consequences(name), ['the others continue', 'the others continue'])
  for (const [name, title] of [
    ['motef', 'MoTEF'],
    ['hop', 'Hop'],
    ['local-sgd', 'Local SGD']
  ])
    t.deepEqual(consequences(name), [`${title} needs every peer, so the run ends`, undefined])
  t.deepEqual(consequences('async-diloco'), [undefined, undefined])
})

test('with onLoss: continue a loss ends only runs of keyed rows', (t) => {
  const consequences = (name: string) => [killed, missed].map((e) => lossesOf(name, 'continue').of(b, e).consequence)
  for (const name of ['motef', 'hop', 'all-reduce', 'async-diloco', 'relay-sgd', 'dpsgd'])
    t.deepEqual(consequences(name), ['the others continue', 'the others continue'], name)
  t.deepEqual(consequences('lapse'), ['Lapse needs every peer, so the run ends', undefined])
  t.deepEqual(consequences('parameter-services'), [undefined, undefined])
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
