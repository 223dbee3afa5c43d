import test from 'ava'
import { type Cause, explain, problemOf } from './explain.js'

const cases: readonly (readonly [string, Cause, RegExp])[] = [
  [
    'connect ECONNREFUSED 10.0.0.2:4001',
    'not-listening',
    /^nothing listens at this address.*\(connect ECONNREFUSED 10\.0\.0\.2:4001\)$/
  ],
  ['The operation was aborted due to timeout', 'timeout', /^no answer in time/],
  ['Unexpected EOF - stream closed', 'closed', /^the connection was closed before the handshake/],
  ['Encryption failed', 'closed', /^the connection was closed before the handshake/],
  ['The stream has been reset', 'closed', /^the connection was closed before the handshake/],
  [
    'Payload identity key abc does not match expected remote identity key def',
    'wrong-id',
    /^another peer answers at this address/
  ],
  ['getaddrinfo ENOTFOUND no.such.host', 'unknown-host', /^the host name in the address is unknown/],
  ['protocol selection failed', 'not-a-peer', /not a peer of Murmuration/]
]

for (const [words, cause, expected] of cases) {
  test(`"${words}" has a cause and an explanation, followed by the original`, (t) => {
    t.regex(explain(new Error(words)), expected)
    t.true(explain(new Error(words)).endsWith(`(${words})`))
    t.deepEqual(problemOf(new Error(words)).causes, [cause])
  })
}

test('unknown messages stay, equal messages appear once, and control characters are escaped', (t) => {
  t.is(explain(new Error('no luck')), 'no luck')
  t.is(explain(new AggregateError([new Error('one'), new Error('one'), new Error('two')])), 'one; two')
  t.is(explain(new Error('\u001b[31mred\u202e')), '\\u001b[31mred\\u202e')
  t.is(explain('plain'), 'plain')
})

test('an error with several errors inside has the causes of all', (t) => {
  const errors = ['connect ECONNREFUSED', 'connect ETIMEDOUT', 'no luck'].map((text) => new Error(text))
  t.deepEqual(problemOf(new AggregateError(errors)).causes, ['not-listening', 'timeout'])
})
