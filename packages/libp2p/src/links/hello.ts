import { protocolVersion } from '../base/constants.js'
import { listens } from './own-addresses.js'
import type { LinkContext } from './context.js'
import type { ControlChannel } from './control-channel.js'
import { type Hello, OtherWire, ProtocolFault, type RefusedMessage, type Welcome } from './control-messages.js'
import type { Neighbour } from './neighbour.js'
import { type Mismatch, mismatchOf } from '../base/run-settings.js'
import { ownVersions, versionMismatch } from '../base/versions.js'

/** The fields of a hello and of a refusal that tell the versions. */
const versionFields = { version: protocolVersion, software: ownVersions.software } as const

/**
 * Sends a hello and returns the welcome; `undefined` when the neighbour refuses, which is recorded.
 *
 * @param first - the sequence number of the first vector that may follow
 */
export async function sayHello(
  { node, self, runSettings, incarnation, limits, codec, relays }: LinkContext,
  neighbour: Neighbour,
  control: ControlChannel,
  first: number
): Promise<Welcome | undefined> {
  const codecs = codec.wanted
  const hello = {
    kind: 'hello',
    ...versionFields,
    name: self,
    runSettings,
    incarnation,
    first,
    codecs,
    listens: listens(node.getMultiaddrs()),
    ...relays
  } as const
  control.send(neighbour.isPermanent ? hello : { ...hello, inPassing: true })
  const answer = await control.first(limits.handshakeTimeout)
  if (answer.kind === 'refused') return void noteRefusal(neighbour, answer, runSettings)
  if (answer.kind !== 'welcome') throw new ProtocolFault(`it answers a hello with ${answer.kind}`)
  if (answer.name !== neighbour.name)
    throw new ProtocolFault(`it calls itself "${answer.name}", expected "${neighbour.name}"`)
  return answer
}

function noteRefusal(neighbour: Neighbour, answer: RefusedMessage, ours: LinkContext['runSettings']): void {
  const { code, reason } = differenceIn(answer, ours) ?? answer
  neighbour.refuse({ by: 'them', code, reason })
}

/** The difference from the view of this peer. */
function differenceIn({ version, software, runSettings }: RefusedMessage, ours: LinkContext['runSettings']) {
  if (version !== undefined && version !== ownVersions.wire) return versionMismatch({ wire: version, software })
  return runSettings && mismatchOf(ours, runSettings)
}

/**
 * Returns the neighbour's hello if it is acceptable; otherwise sends the neighbour the reason.
 *
 * @param problemWith - what else is wrong with it
 */
export async function takeHello(
  context: LinkContext,
  neighbour: Neighbour,
  control: ControlChannel,
  problemWith: (hello: Hello) => Mismatch | undefined
): Promise<Hello | undefined> {
  const { limits, runSettings } = context
  let mismatch: Mismatch | undefined
  try {
    const first = await control.first(limits.handshakeTimeout)
    if (first.kind !== 'hello') throw new ProtocolFault(`it begins with ${first.kind} instead of hello`)
    mismatch = problemOf(context, neighbour, first) ?? problemWith(first)
    if (mismatch === undefined) return first
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error
    // A neighbour of another version is not at fault.
    const isOther = error instanceof OtherWire
    mismatch = isOther ? versionMismatch(error.versions) : { code: 'protocol', reason: error.message }
    if (!isOther) neighbour.faults.add('protocol', error.message, true)
  }
  neighbour.refuse({ by: 'us', ...mismatch })
  const { code } = mismatch
  control.send({ kind: 'refused', code, reason: mismatch.reason.slice(0, 1024), runSettings, ...versionFields })
  await control.close(limits.handshakeTimeout)
  return undefined
}

/** The answer to an acceptable hello. */
export function welcomeOf(
  { self, limits, relays }: LinkContext,
  { received, acknowledged }: Pick<Welcome, 'received' | 'acknowledged'>,
  codecs: Welcome['codecs']
): Welcome {
  return { kind: 'welcome', name: self, received, acknowledged, window: limits.window, codecs, ...relays }
}

function problemOf({ runSettings, self }: LinkContext, neighbour: Neighbour, hello: Hello): Mismatch | undefined {
  if (hello.name !== neighbour.name) {
    const reason = `it calls itself "${hello.name}", but its peer id belongs to "${neighbour.name}"`
    return { code: 'unknown-peer', reason }
  }
  if (neighbour.isPermanent || hello.inPassing === true) return mismatchOf(runSettings, hello.runSettings)
  const reason = `"${self}" has no neighbour "${neighbour.name}" in its topology; do the topology files differ?`
  return { code: 'unknown-peer', reason }
}
