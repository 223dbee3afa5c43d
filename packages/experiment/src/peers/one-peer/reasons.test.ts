import { NeighboursMissingError, peerName } from '@murmuration/core'
import { type NeighbourStatus, notConnectedYet } from '@murmuration/libp2p'
import test from 'ava'
import { withReasons } from './reasons.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const status = (name: typeof a, state: NeighbourStatus['state'], reason: string) =>
  ({ name, state, reason }) as NeighbourStatus

const textOf = (
  missing: readonly (typeof a)[],
  neighbours: readonly NeighbourStatus[],
  unreached: readonly string[] = []
) => withReasons(new NeighboursMissingError(missing, 'a waited'), { neighbours, unreached }).message

test('the last message has the reasons that are known', (t) => {
  const neighbours = [
    status(b, 'refused', 'it refuses this peer: the settings differ'),
    status(c, 'connecting', 'nothing listens there (ECONNREFUSED)')
  ]
  t.is(textOf([b], neighbours), 'a waited; b is refused: it refuses this peer: the settings differ')
  t.is(
    textOf([], neighbours, ['no answer from the seed at /ip4/10.0.0.1/tcp/1: timed out']),
    'a waited; b is refused: it refuses this peer: the settings differ; c is connecting: nothing listens there ' +
      '(ECONNREFUSED); no answer from the seed at /ip4/10.0.0.1/tcp/1: timed out'
  )
  t.is(textOf([c], [status(c, 'left', 'done')]), 'a waited; c has left: done')
})

test('what is not known, or is in the message, is not added; and many reasons are counted', (t) => {
  t.is(textOf([b], [status(b, 'ready', ''), status(c, 'silent', 'not heard')]), 'a waited')
  t.is(textOf([b], [status(b, 'connecting', notConnectedYet)]), 'a waited')
  const error = new NeighboursMissingError([b], 'b is left: done')
  t.is(withReasons(error, { neighbours: [status(b, 'left', 'done')], unreached: [] }), error)
  const many = Array.from({ length: 9 }, (_, k) => peerName(`p${k}`))
  t.regex(
    textOf(
      many,
      many.map((name) => status(name, 'silent', `no ${name}`))
    ),
    /p3 is silent: no p3; and 5 more reasons$/
  )
})
