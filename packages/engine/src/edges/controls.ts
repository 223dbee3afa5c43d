/** The control messages of a channel's edges, SKIP and WITHDRAW; each has a tag. X is the message itself. */
import type { Envelope, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { noNumbers, readHeader } from '../messages/header.js'
import { partsPerRound, tagOf } from '../messages/message-buffer.js'
import type { Owner } from '../messages/owner.js'
import type { ControlKinds, EdgeEvent } from './edge-policy.js'

const empty = new Float32Array(0)

/** Sends a control message. It is lost if the queue is full; a peer that waits for it asks again. */
export function sendControl(owner: Owner, kind: number, to: PeerName, tag: number, numbers = noNumbers): void {
  const round = Math.floor(tag / partsPerRound)
  const part = tag % partsPerRound
  owner.send(to, { kind, round, part, numbers, vector: empty })
}

/**
 * Decodes a control message.
 *
 * @param kinds - those of the channel
 * @param rounds - its messages have rounds below this
 * @returns undefined for an invalid one, which is its sender's fault
 */
export function readControl(
  { fabric }: Owner,
  envelope: Envelope<VectorMessage>,
  kinds: ControlKinds,
  rounds: number
): EdgeEvent | undefined {
  const { kind, round, part = 0, field = 0, numbers = noNumbers, vector } = envelope.message
  const header = readHeader(numbers)
  const isOne = vector.length === 0 && field === 0 && round < rounds && part < partsPerRound
  if (isOne && header !== undefined && header.offer === undefined)
    return {
      kind: kind === kinds.skip ? 'skip' : 'withdraw',
      from: envelope.from,
      tag: tagOf({ round, part }),
      header
    }
  fabric.reject(envelope, `a malformed control message of round ${round}, part ${part}`)
  return undefined
}

/** The same message again is its sender's fault. */
export function rejectDuplicate({ fabric }: Owner, envelope: Envelope<VectorMessage>): void {
  fabric.reject(envelope, `parameters of round ${envelope.message.round} are duplicate`)
}
