import type { Connection, Libp2p } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { type Milliseconds, NeighboursMissingError, RefusedError } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { multiaddr } from '#platform/libraries/base.js'
import { defaultLimits } from '../base/constants.js'
import { askForAddresses } from '../discovery/introductions.js'
import { mayDial, reachOf } from '../addresses/reach.js'
import { signAddresses } from '../addresses/signed-addresses.js'
import { explain } from '../base/explain.js'
import { foreignText } from '../base/foreign-text.js'
import { createNode } from '../node/node.js'
import { hostOf } from '../addresses/peer-list.js'
import { admissionOf } from './certificates.js'
import type { Entered, EnterOptions, NewsBearer } from './enter-options.js'
import { type AdmissionAnswer, type AdmissionQuestion, askForAdmission } from './protocol.js'

const limits = defaultLimits
/** The time between two rounds of calls. */
const pause: Milliseconds = 1000

/** Presents an invitation to peers of the run until one admits this peer; see `enterRun`. */
export async function enter(options: EnterOptions): Promise<Entered> {
  const own = await admissionOf(options.invitation, options.identity)
  return { own, ...(await filesFor(options, { present: own, certificates: [], wantsFiles: true })) }
}

/** Shows an invitation to peers of the run until one sends its files; see `showRun`. */
export async function show(options: EnterOptions): Promise<string> {
  const { files } = await filesFor(options, { shows: options.invitation, certificates: [], wantsFiles: true })
  return files
}

async function filesFor(
  { invitation, identity, seeds, timeout, signal, isRight, onProblem }: EnterOptions,
  question: AdmissionQuestion
): Promise<Omit<Entered, 'own'>> {
  return calling(identity, signal, async (node) => {
    const deadline = performance.now() + timeout
    for (;;) {
      const problems: string[] = []
      for await (const reached of answersOf(node, { ...invitation, seeds }, identity, question)) {
        if (typeof reached === 'string') problems.push(reached)
        else if (reached.refused !== undefined)
          throw new RefusedError(
            invitation.name,
            'unknown-peer',
            `the run does not admit this peer: ${reached.refused}`
          )
        else if (reached.files === undefined || !(await isRight(reached.files)))
          problems.push('a peer sent files of the run that do not match the invitation')
        else return { files: reached.files, certificates: reached.certificates }
      }
      signal.throwIfAborted()
      if (performance.now() >= deadline)
        throw new NeighboursMissingError([], `no peer of the run was found: ${problems.join('; ')}`)
      onProblem?.(problems.join('; '))
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  })
}

/** Sends a certificate to peers of a run; see `tellRun`. */
export async function tell({ run, members, identity, seeds, certificate, signal }: NewsBearer): Promise<number> {
  const question = { certificates: [certificate], wantsFiles: false }
  return calling(identity, signal, async (node) => {
    let count = 0
    for await (const reached of answersOf(node, { run, members, seeds }, identity, question))
      if (typeof reached !== 'string') count++
    return count
  })
}

async function calling<Result>(
  identity: EnterOptions['identity'],
  signal: AbortSignal,
  act: (node: Libp2p) => Promise<Result>
): Promise<Result> {
  const node = await createNode({ identity, listen: [], limits })
  const stop = () => void node.stop()
  signal.addEventListener('abort', stop)
  try {
    await node.start()
    return await act(node)
  } finally {
    signal.removeEventListener('abort', stop)
    await node.stop()
  }
}

/**
 * The answers of peers of a run, one after the other; for a peer that cannot be reached, the reason. Seeds give the
 * addresses of members.
 */
async function* answersOf(
  node: Libp2p,
  {
    run,
    members,
    seeds
  }: { readonly run: string; readonly members: readonly string[]; readonly seeds: readonly string[] },
  identity: EnterOptions['identity'],
  question: AdmissionQuestion
): AsyncGenerator<AdmissionAnswer | string> {
  const record = await signAddresses(identity, [])
  for (const seed of seeds) {
    try {
      const connection = await dial(node, [multiaddr(seed)])
      const answer = await answerOf(connection, question)
      if (answer !== undefined) {
        yield answer
        continue
      }
      const host = hostOf(connection.remoteAddr)
      const within = (host === undefined ? undefined : reachOf(host)) ?? 'public'
      const wanted = { run: hashText(run), record, wanted: members }
      const { records } = await askForAddresses(connection, wanted, limits.handshakeTimeout)
      for (const { id, addresses } of records) {
        const usable = addresses.filter((address) => mayDial(address, within))
        yield await viaMember(node, id, usable, question)
      }
      if (records.length === 0) yield `the seed at ${seed} knows no peer of the run`
    } catch (error) {
      yield `${seed}: ${foreignText(explain(error))}`
    } finally {
      hangUp(node)
    }
  }
}

/** Closes all connections: a peer of the run answers an unknown peer only once per connection. */
const hangUp = (node: Libp2p) => {
  for (const connection of node.getConnections()) connection.abort(new Error('no more questions'))
}

async function viaMember(node: Libp2p, id: string, addresses: readonly Multiaddr[], question: AdmissionQuestion) {
  try {
    if (addresses.length === 0) return `${id} has no address that may be dialled from here`
    const connection = await dial(
      node,
      addresses.map((address) => address.encapsulate(`/p2p/${id}`))
    )
    return (await answerOf(connection, question)) ?? `${id} does not admit peers by invitation`
  } catch (error) {
    return `${id}: ${foreignText(explain(error))}`
  }
}

const dial = (node: Libp2p, addresses: Multiaddr[]) =>
  node.dial(addresses, { signal: AbortSignal.timeout(limits.dialTimeout) })

/** The answer of a peer of the run; `undefined` for any other node, such as a seed. */
async function answerOf(connection: Connection, question: AdmissionQuestion): Promise<AdmissionAnswer | undefined> {
  try {
    return await askForAdmission(connection, question, limits.handshakeTimeout)
  } catch (error) {
    if (error instanceof Error && error.name === 'UnsupportedProtocolError') return undefined
    throw error
  }
}
