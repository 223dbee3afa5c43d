import { messageOf } from '@murmuration/core'
import { foreignText } from './foreign-text.js'

/** What a failed call means, for code that chooses a remedy. */
export type Cause =
  | 'relay-unreachable'
  | 'relay-full'
  | 'relay-refused'
  | 'not-a-relay'
  | 'wrong-id'
  | 'not-listening'
  | 'unknown-host'
  | 'no-route'
  | 'timeout'
  | 'closed'
  | 'not-a-peer'

/** Causes and explanations of the system's and libp2p's error messages. The first match counts. */
const meanings: readonly (readonly [RegExp, Cause, string])[] = [
  [
    /through a relay: .*(ECONNREFUSED|ETIMEDOUT|timed out|TimeoutError|EHOSTUNREACH|ENETUNREACH)/,
    'relay-unreachable',
    'the relay does not answer: the relay is down, or its address is wrong'
  ],
  [/reservation failed with status RESERVATION_REFUSED/, 'relay-full', 'the relay is full'],
  [
    /reservation failed with status PERMISSION_DENIED/,
    'relay-full',
    'the relay refused this peer: it serves too many peers of this network, or only others'
  ],
  [
    /via relay with status NO_RESERVATION/,
    'relay-refused',
    'the relay has no connection to the peer: it has not started, or has lost the relay'
  ],
  [/via relay with status PERMISSION_DENIED/, 'relay-refused', 'the relay is full, or does not serve this peer'],
  [/via relay with status CONNECTION_FAILED/, 'relay-refused', 'the relay cannot reach the peer'],
  [
    /protocol selection failed.*circuit\/relay|circuit\/relay.*(protocol selection|not)/is,
    'not-a-relay',
    'the node at this address is not a relay: start "murmur seed --relay" there'
  ],
  [
    /does not match expected remote identity key|UnexpectedPeerError|remote peer id .* does not match/i,
    'wrong-id',
    'another peer answers at this address: its id is not the expected one'
  ],
  [
    /ECONNREFUSED/,
    'not-listening',
    'nothing listens at this address: it is not started yet, or the address or the port is wrong'
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-host', 'the host name in the address is unknown'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no-route', 'this machine has no route to the address'],
  [
    /ETIMEDOUT|aborted due to timeout|TimeoutError|timed out/i,
    'timeout',
    'no answer in time: a firewall, or a machine that is busy or off'
  ],
  [
    /ECONNRESET|EPIPE|unexpected EOF|UnexpectedEOF|stream (has been |was )?(reset|closed)|encryption failed|closed connection during/i,
    'closed',
    "the connection was closed before the handshake was done: the other end may not have this peer's id in its peer list, or no peer list yet"
  ],
  [
    /multistream|protocol selection failed|UnsupportedProtocol|no matching protocol/i,
    'not-a-peer',
    'the node at this address is not a peer of Murmuration, or of another version'
  ]
]

/** Why a call failed. */
export interface CallProblem {
  /** For people, as of {@link explain}. */
  readonly text: string
  /** The recognised causes, one per failed address at most. */
  readonly causes: readonly Cause[]
}

/** The original message of anything that was thrown, with those of the errors inside. */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof AggregateError) || thrown.errors.length === 0) return messageOf(thrown)
  return [...new Set(thrown.errors.map(wordsOf))].join('; ')
}

/**
 * An explanation of an error, followed by its original message. Of an error with several errors inside, such as one per
 * address, all are reported.
 */
export function explain(thrown: unknown): string {
  return problemOf(thrown).text
}

/** As {@link explain}, with the causes. */
export function problemOf(thrown: unknown): CallProblem {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    const problems = thrown.errors.map(problemOf)
    const texts = new Set(problems.map(({ text }) => text))
    return { text: [...texts].join('; '), causes: problems.flatMap(({ causes }) => causes) }
  }
  const words = foreignText(messageOf(thrown))
  const named = thrown instanceof Error ? `${thrown.name} ${words}` : words
  const [, cause, text] = meanings.find(([pattern]) => pattern.test(named)) ?? []
  return cause === undefined ? { text: words, causes: [] } : { text: `${text} (${words})`, causes: [cause] }
}
