/** The process of one peer of a swarm. Its parent sends its name, the other peers, and when to stop. */
import { deferred, type PeerName, StoppedError } from '@murmuration/core'
import { createIdentity, type PeerListEntry } from '@murmuration/libp2p'
import { makePlan } from '../../make-plan.js'
import type { RunEvent } from '../../base/events.js'
import { startingFrom } from '../../models/start-model.js'
import { Checkpoints } from '../checkpoints/checkpoints.js'
import { Halt } from '../checkpoints/halt.js'
import { withEventLog } from '../event-log/with-event-log.js'
import { runPeer } from '../one-peer/run-peer.js'
import { shapedLinks } from '../one-peer/shaped-links.js'
import { pageAt } from '../watching/page.js'
import type { Watching } from '../watching/watching.js'
import type { ChildTask, FromChild, ToChild } from './swarm-messages.js'

const stop = new AbortController()
const halt = new Halt()
let watching: Watching | undefined
const peerList = deferred<readonly PeerListEntry[]>()
peerList.promise.catch(() => {})

// Signals often reach all processes of a terminal or a container. Here the parent decides, so that all stop in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.stderr.on('error', () => {})
process.on('disconnect', stopNow)
process.on('message', (message: ToChild) => {
  if (message.kind === 'stop') stopNow()
  if (message.kind === 'halt') void tell({ kind: 'halting', round: halt.request() })
  if (message.kind === 'stopBefore') halt.stopBefore(message.round)
  if (message.kind === 'peerList') peerList.resolve(message.peerList)
  if (message.kind === 'evaluated') watching?.show(message.event)
  if (message.kind === 'run') void run(message)
})

function stopNow(): void {
  stop.abort(new StoppedError())
  peerList.reject(new StoppedError())
}

async function run({ request, self, timeout, checkpoints, watch, directory }: ChildTask): Promise<void> {
  const emit = (event: RunEvent) => void tell({ kind: 'event', event })
  try {
    const plan = await makePlan(request)
    const links = shapedLinks(plan)
    const identity = await createIdentity()
    const result = await withEventLog({ directory, self, plan, emit }, (logging) =>
      runPeer({
        plan,
        self,
        ...(links === undefined ? {} : { links }),
        identity,
        listen: ['/ip4/127.0.0.1/tcp/0'],
        peerList: (me) => announce(self, me),
        timeout,
        watch: watch && pageAt(watch),
        onWatching: (value) => (watching = value),
        // Processes of a swarm are not restarted.
        pause: plan.training.timeout,
        ...logging,
        onUnfinished: (model) => tell({ kind: 'unfinished', model }),
        onSnapshot: (snapshot) => tell({ kind: 'snapshot', snapshot }),
        startingFrom: plan.init === undefined ? undefined : (task, whole) => startingFrom(plan.init, task, whole),
        ...(checkpoints && { checkpoints: (own) => new Checkpoints(checkpoints, own), halt }),
        signal: stop.signal
      })
    )
    await tell({ kind: 'result', result })
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    await tell({ kind: 'failed', name, message, stack })
  }
  process.exit()
}

async function announce(name: PeerName, me: { readonly id: string; readonly addresses: readonly string[] }) {
  await tell({ kind: 'listening', entry: { name, ...me } })
  return peerList.promise
}

/** Resolves when the message is handed over. Does nothing if the parent is gone. */
function tell(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}
