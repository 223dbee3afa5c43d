/** Runs of peers in this process and of tabs, which enter by invitation. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { timeLimit } from '@murmuration/contract'
import { deferred, peerName } from '@murmuration/core'
import type { PeerSummary, RunEvent } from '@murmuration/experiment'
import { identityDirectory, invitationText, runPeerCommand } from '@murmuration/experiment/peers'
import { localIdentity } from '@murmuration/libp2p'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from './command.js'

/** What a test says of its run. Peers of this process enter in this order; the first is the seed of all others. */
export interface RunOfTest {
  readonly graph: 'ring' | 'complete'
  /** The places in the graph's order. */
  readonly places: readonly string[]
  /** Those of tabs. */
  readonly tabs: readonly string[]
  /** The text of the training file. */
  readonly training: string
  /** Whether the peers listen for browsers in every way that there is. */
  readonly browsers: boolean
  /** Where they listen beside TCP. */
  readonly listen?: readonly string[]
  /** What the only address of the tabs' seed contains; that of each transport when absent. */
  readonly seed?: string
  /** A home that has data of the run. */
  readonly folder?: string
}

/** A peer of this process. */
export interface PeerOfTest {
  readonly name: string
  readonly events: readonly RunEvent[]
  readonly summary: Promise<PeerSummary>
}

/** Starts the peers of this process, which wait for the tabs; and invites these. */
export async function peersForTabs(t: ExecutionContext, run: RunOfTest) {
  const folder = run.folder ?? (await temporaryFolder())
  process.env.MURMURATION_HOME = folder
  const [topology, train] = [join(folder, 'peers.yaml'), join(folder, 'train.yaml')]
  const id = async (name: string) => (await localIdentity(identityDirectory(), peerName(name))).id
  const listed = await Promise.all(
    run.places.map(async (name) => (run.tabs.includes(name) ? 'invited: true' : `id: ${await id(name)}`))
  )
  const lines = run.places.map((name, index) => `  - { name: ${name}, ${listed[index]} }\n`)
  await writeFile(topology, `graph: ${run.graph}\nrunKey: ${await id('run-key')}\npeers:\n${lines.join('')}`)
  await writeFile(train, run.training)
  const request = { topology, train }
  const stop = new AbortController()
  t.teardown(() => stop.abort(new Error('the test is over')))
  const common = { wait: timeLimit(60_000), signal: stop.signal, browsers: run.browsers }
  const listen = ['/ip4/127.0.0.1/tcp/0', ...(run.listen ?? [])]
  const seeds: string[] = []
  const start = (name: string) => {
    const events: RunEvent[] = []
    const place = deferred<readonly string[]>()
    const emit = (event: RunEvent) => {
      events.push(event)
      if (event.kind === 'peer') place.resolve(event.addresses)
    }
    const discovery = { seeds: [...seeds], lan: false }
    const summary = runPeerCommand(request, { ...common, as: peerName(name), listen, discovery, emit })
    // Of those that the end of a test stops, nobody waits for the place.
    place.promise.catch(() => {})
    summary.catch((error: unknown) => place.reject(error))
    return { name, events, summary, place: place.promise }
  }
  const [one, ...rest] = run.places.filter((name) => !run.tabs.includes(name))
  const first = start(one)
  const addresses = await first.place
  seeds.push(addresses.find((address) => /\/tcp\/\d+\/p2p\//.test(address)) ?? '')
  const others = rest.map(start)
  const kinds = run.seed === undefined ? ['webrtc-direct', '/ws/'] : [run.seed]
  const ways = kinds.flatMap((kind) => addresses.find((address) => address.includes(kind)) ?? [])
  const invite = (name: string) => invitationText(request, { name: peerName(name), seeds: ways, expires: 3_600_000 })
  const invitations: string[] = []
  for (const name of run.tabs) invitations.push(await invite(name))
  const peers: readonly PeerOfTest[] = [first, ...others]
  return { peers, invitations, request }
}

/** Waits until `isSo` holds. */
export async function eventually(t: ExecutionContext, what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + timeLimit(30_000)
  while (!isSo() && performance.now() < end) await pause(20)
  t.true(isSo(), what)
}
