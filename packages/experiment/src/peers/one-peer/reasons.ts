import { NeighboursMissingError } from '@murmuration/core'
import { notConnectedYet, type Peer } from '@murmuration/libp2p'

/** The most reasons in one message. */
const maxReasons = 4

/**
 * The error with what is known of why others are missing: of their links, and of seeds and relays that do not answer.
 */
export function withReasons(
  error: NeighboursMissingError,
  {
    neighbours,
    unreached
  }: { readonly neighbours: ReturnType<Peer['neighbours']>; readonly unreached: readonly string[] }
): NeighboursMissingError {
  const { missing, message } = error
  const links = neighbours.flatMap(({ name, state, reason }) =>
    (missing.length === 0 || missing.includes(name)) && state !== 'ready' && ![notConnectedYet, ''].includes(reason)
      ? [{ text: `${name} ${state === 'left' ? 'has left' : `is ${state}`}: ${reason}`, reason }]
      : []
  )
  const known = [...links, ...unreached.map((text) => ({ text, reason: text }))]
  const texts = known.filter(({ reason }) => !message.includes(reason)).map(({ text }) => text)
  if (texts.length === 0) return error
  const more = texts.length > maxReasons ? [`and ${texts.length - maxReasons} more reasons`] : []
  return new NeighboursMissingError(missing, [message, ...texts.slice(0, maxReasons), ...more].join('; '))
}
