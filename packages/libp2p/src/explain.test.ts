import test from 'ava'
import { explain } from './explain.js'

const cases: readonly (readonly [string, RegExp])[] = [
  ['connect ECONNREFUSED 10.0.0.2:4001', /^nobody listens there.*\(connect ECONNREFUSED 10\.0\.0\.2:4001\)$/],
  ['The operation was aborted due to timeout', /^nothing answered in time/],
  ['Unexpected EOF - stream closed', /^the connection was closed before the handshake/],
  ['Encryption failed', /^the connection was closed before the handshake/],
  ['The stream has been reset', /^the connection was closed before the handshake/],
  ['Payload identity key abc does not match expected remote identity key def', /^somebody else answered there/],
  ['getaddrinfo ENOTFOUND no.such.host', /^the name in its address is not known/],
  ['protocol selection failed', /no peer of Murmuration/]
]

for (const [words, expected] of cases) {
  test(`"${words}" is told in words of this project, with the original behind`, (t) => {
    t.regex(explain(new Error(words)), expected)
    t.true(explain(new Error(words)).endsWith(`(${words})`))
  })
}

test('words that mean nothing here stay, several errors are told each once, and nothing reaches a terminal raw', (t) => {
  t.is(explain(new Error('no luck')), 'no luck')
  t.is(explain(new AggregateError([new Error('one'), new Error('one'), new Error('two')])), 'one; two')
  t.is(explain(new Error('\u001b[31mred\u202e')), '\\u001b[31mred\\u202e')
  t.is(explain('plain'), 'plain')
})
