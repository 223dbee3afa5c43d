/** Values of options, as the command line has them. */
import { messageOf, type PeerName, peerName } from '@murmuration/core'
import { duration } from '@murmuration/files'
import { InvalidArgumentError } from 'commander'

/** Milliseconds. */
export function durationOf(text: string): number {
  const result = duration().safeParse(text)
  if (result.success) return result.data
  throw new InvalidArgumentError(`expected ${result.error.issues[0].message}`)
}

/** A number of threads. */
export function countOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 1024) return count
  throw new InvalidArgumentError('expected a whole number from 1 to 1024')
}

/** The name of a peer. */
export function nameOf(text: string): PeerName {
  try {
    return peerName(text)
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error))
  }
}
