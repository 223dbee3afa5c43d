/** A peer "b" in a separate process, which sends back what it receives. Its event loop can be blocked. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import type { ExecutionContext } from 'ava'
import type { Limits } from '../../base/constants.js'
import type { PeerEvent } from '../../base/events.js'
import { eventually, graph, quick } from '../../cluster.test.support.js'
import { createIdentity } from '../../base/identity.js'
import { createPeer } from '../../create-peer.js'
import type { PeerListEntry } from '../../addresses/peer-list.js'
import { runSettingsOf } from '../exchange.test.support.js'

/** A message to the child. */
type Order =
  | { readonly kind: 'begin'; readonly bytes: number; readonly limits: Partial<Limits> }
  | { readonly kind: 'connect'; readonly peerList: readonly PeerListEntry[] }
  | { readonly kind: 'block'; readonly milliseconds: number }

/** A message from the child. */
type Report =
  | { readonly kind: 'listening'; readonly entry: PeerListEntry }
  | { readonly kind: 'event'; readonly event: PeerEvent }
  | { readonly kind: 'blocked'; readonly over: boolean }

/** The child, seen from the test. */
export interface BlockedChild {
  readonly entry: PeerListEntry
  /** The events of the child's peer. */
  readonly events: readonly PeerEvent[]
  connect(peerList: readonly PeerListEntry[]): void
  /** Blocks the child's event loop by one synchronous step. Resolves when the step has begun. */
  block(milliseconds: number): Promise<void>
  /** Whether the step is over. */
  over(): boolean
}

/** Starts the child, until the test ends. Its vectors have `bytes` bytes. */
export async function blockedChild(t: ExecutionContext, bytes: number, limits: Partial<Limits>): Promise<BlockedChild> {
  const child = fork(fileURLToPath(import.meta.url), ['child'])
  t.teardown(() => child.kill())
  const events: PeerEvent[] = []
  let entry: PeerListEntry | undefined
  let state: boolean | undefined
  child.on('message', (report: Report) => {
    if (report.kind === 'listening') entry = report.entry
    if (report.kind === 'event') events.push(report.event)
    if (report.kind === 'blocked') state = report.over
  })
  const order = (what: Order) => void child.send(what)
  order({ kind: 'begin', bytes, limits })
  return {
    entry: await eventually('the child listens', () => entry),
    events,
    connect: (peerList) => order({ kind: 'connect', peerList }),
    async block(milliseconds) {
      order({ kind: 'block', milliseconds })
      await eventually('the step has begun', () => state === false)
    },
    over: () => state === true
  }
}

function beChild(parent: NodeJS.Process): void {
  const say = (report: Report) => new Promise((resolve) => parent.send?.(report, undefined, undefined, resolve))
  const self = peerName('b')
  const begin = async (bytes: number, limits: Partial<Limits>) => {
    const peer = await createPeer({
      self,
      identity: await createIdentity(),
      topology: graph(['a', 'b']),
      seed: 1,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      runSettings: runSettingsOf(bytes),
      onEvent: (event) => void say({ kind: 'event', event }),
      limits: { ...quick(), ...limits }
    })
    peer.fabric.spawn(async (fabric) => {
      for (;;) {
        const envelope = await fabric.receive()
        if (envelope === undefined) continue
        while (fabric.send(envelope.from, envelope.message) !== 'queued') await fabric.sleep(fabric.now() + 2)
      }
    })
    await say({ kind: 'listening', entry: { name: self, id: peer.id, addresses: peer.addresses } })
    return peer
  }
  let peer: ReturnType<typeof begin> | undefined
  parent.on('disconnect', () => process.exit())
  parent.on('message', async (order: Order) => {
    if (order.kind === 'begin') peer = begin(order.bytes, order.limits)
    if (order.kind === 'connect') await (await peer)?.connect(order.peerList, timeLimit(10_000))
    if (order.kind !== 'block') return
    await say({ kind: 'blocked', over: false })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.milliseconds)
    await say({ kind: 'blocked', over: true })
  })
}

if (process.argv[2] === 'child') beChild(process)
