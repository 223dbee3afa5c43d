import { protocolVersion } from './constants.js'
import type { LinkContext } from './context.js'
import type { ControlChannel } from './control-channel.js'
import { ProtocolFault, type Refused, type Welcome } from './control-messages.js'
import type { Neighbour } from './neighbour.js'
import { mismatchOf } from './run-settings.js'

/**
 * Says hello and takes the answer; `undefined` when the neighbour does not agree, which is noted.
 *
 * @param first - the number of the first vector that may follow
 */
export async function sayHello(
  { self, runSettings, incarnation, limits, round, codec }: LinkContext,
  neighbour: Neighbour,
  control: ControlChannel,
  first: number
): Promise<Welcome | undefined> {
  const codecs = codec.wanted
  const version = protocolVersion
  const hello = { kind: 'hello', version, name: self, runSettings, incarnation, first, round, codecs } as const
  control.send(neighbour.isPermanent ? hello : { ...hello, inPassing: true })
  const answer = await control.first(limits.handshakeTimeout)
  if (answer.kind === 'refused') return void noteRefusal(neighbour, answer, runSettings)
  if (answer.kind !== 'welcome') throw new ProtocolFault(`it answers a hello with ${answer.kind}`)
  if (answer.name !== neighbour.name) throw new ProtocolFault(`it calls itself "${answer.name}"`)
  return answer
}

function noteRefusal(neighbour: Neighbour, answer: Refused, ours: LinkContext['runSettings']): void {
  const mismatch = answer.runSettings === undefined ? undefined : mismatchOf(ours, answer.runSettings)
  const { code, reason } = mismatch ?? answer
  neighbour.refuse({ by: 'them', code, reason })
}
