import { messageOf } from '@murmuration/core'
import { foreignText } from './foreign-text.js'

/** Explanations of the system's and libp2p's error messages. The first match counts. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /through a relay: .*(ECONNREFUSED|ETIMEDOUT|timed out|TimeoutError|EHOSTUNREACH|ENETUNREACH)/,
    'nobody answers at the relay by which it is reached: the relay is down, or its address is wrong'
  ],
  [/reservation failed with status RESERVATION_REFUSED/, 'the relay has no place left'],
  [
    /reservation failed with status PERMISSION_DENIED/,
    'the relay gives this peer no place: too many of this network have one, or it serves others'
  ],
  [/via relay with status NO_RESERVATION/, 'the relay has no connection to it: it is not started, or lost the relay'],
  [/via relay with status PERMISSION_DENIED/, 'the relay is full, or does not serve this peer'],
  [/via relay with status CONNECTION_FAILED/, 'the relay cannot reach it'],
  [
    /protocol selection failed.*circuit\/relay|circuit\/relay.*(protocol selection|not)/is,
    'what answers there is no relay: start "murmur seed --relay" there'
  ],
  [
    /does not match expected remote identity key|UnexpectedPeerError|remote peer id .* does not match/i,
    'somebody else answered there: not the peer that the file names'
  ],
  [/ECONNREFUSED/, 'nobody listens there: it is not started yet, or the address or the port is wrong'],
  [/ENOTFOUND|EAI_AGAIN/, 'the name in its address is not known'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no way to its address from here'],
  [
    /ETIMEDOUT|aborted due to timeout|TimeoutError|timed out/i,
    'nothing answered in time: a firewall, or a machine that is busy or off'
  ],
  [
    /ECONNRESET|EPIPE|unexpected EOF|UnexpectedEOF|stream (has been |was )?(reset|closed)|encryption failed|closed connection during/i,
    "the connection was closed before the handshake was done: it may not have this peer's id in its peer list, or no peer list yet"
  ],
  [
    /multistream|protocol selection failed|UnsupportedProtocol|no matching protocol/i,
    'what answers there is no peer of Murmuration'
  ]
]

/** The original message of anything that was thrown, with those of the errors inside. */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof AggregateError) || thrown.errors.length === 0) return messageOf(thrown)
  return [...new Set(thrown.errors.map(wordsOf))].join('; ')
}

/**
 * An explanation of an error, followed by its original message. Of an error with several errors inside, such as one per address, all are
 * reported.
 */
export function explain(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    return [...new Set(thrown.errors.map(explain))].join('; ')
  }
  const words = foreignText(messageOf(thrown))
  const named = thrown instanceof Error ? `${thrown.name} ${words}` : words
  const meaning = meanings.find(([pattern]) => pattern.test(named))?.[1]
  return meaning === undefined ? words : `${meaning} (${words})`
}
