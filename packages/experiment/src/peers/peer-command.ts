import type { PeerName } from '@murmuration/core'
import { type DiscoveryOptions, type Identity, type RelayOptions, withTabs } from '@murmuration/libp2p'
import type { WatchAddress } from '@murmuration/watch'
import type { PeerSummary, RunEvent } from '../base/events.js'
import { makeRealPlan } from '../make-plan.js'
import { startingFrom } from '../models/start-model.js'
import { placeOf } from '../training/peer-list.js'
import type { RunRequest } from '../training/plan.js'
import { admissionOf, type OwnAdmission } from './admission/admission.js'
import { filesOf } from './admission/received-files.js'
import { runFolder } from './admission/run-folder.js'
import { checkCheckpoints, type CheckpointOptions, Checkpoints } from './checkpoints/checkpoints.js'
import { withEventLog } from './event-log/with-event-log.js'
import { trainAsPeer } from './train-as-peer.js'
import { checkSave, saveModel } from './recording/save.js'
import { pageAt } from './watching/page.js'

/** The options of this machine's peer. */
export interface PeerCommandOptions {
  readonly as: PeerName
  readonly key?: string | undefined
  /** Replaces that of a key file. */
  readonly identity?: Identity | undefined
  /** Multiaddrs to listen on, in place of the file's. */
  readonly listen?: readonly string[] | undefined
  /** Whether to listen for tabs, too. */
  readonly browsers?: boolean | undefined
  /** The admission of this peer, if it was invited. */
  readonly entered?: OwnAdmission | undefined
  /** How to find peers that have no address in the file. */
  readonly discovery?: DiscoveryOptions | undefined
  /** Whether to ask routers to forward this peer's port. */
  readonly upnp?: boolean | undefined
  /** Further relays through which this peer is reachable, and whether it is a relay itself. */
  readonly relay?: RelayOptions | undefined
  readonly save?: string
  readonly checkpoints?: CheckpointOptions | undefined
  /** Where to serve the page that shows the run; absent for no page. */
  readonly watch?: WatchAddress | undefined
  /** The folder of results for the peer's event log; absent for no log. */
  readonly directory?: string | undefined
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly wait: number
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Runs one peer of a topology on this machine. Rejects with the typed errors of core. */
export async function runPeerCommand(request: RunRequest, options: PeerCommandOptions): Promise<PeerSummary> {
  const plan = await makeRealPlan(request)
  const { as: self, checkpoints, directory, save, watch, browsers, relay, entered, emit } = options
  if (save !== undefined) await checkSave(save)
  if (checkpoints !== undefined) await checkCheckpoints(checkpoints, plan.options.algorithm, [self])
  const { relays, ...place } = await placeOf(plan, self, options)
  return trainAsPeer(plan, {
    self,
    ...place,
    listen: browsers === true ? withTabs(place.listen) : place.listen,
    discovery: options.discovery,
    upnp: options.upnp,
    relay: {
      // Browsers reach each other through peers, which carry the signalling.
      ...(options.browsers === true ? { offers: {} } : {}),
      ...relay,
      via: [...(relay?.via ?? []), ...relays]
    },
    admission: await admissionOf({ plan, files: () => filesOf(request), folderOf: runFolder }, self, emit, entered),
    wait: options.wait,
    emit,
    signal: options.signal,
    watch: watch && pageAt(watch),
    startingFrom: plan.init === undefined ? undefined : (task, whole) => startingFrom(plan.init, task, whole),
    checkpoints: checkpoints && ((own) => new Checkpoints(checkpoints, own)),
    logged: (both, body) => withEventLog({ directory, self, plan, emit: both }, body),
    keep: async (schema, parameters, facts, unfinished) => {
      const unsaved = await saveModel(options, schema, parameters, facts)
      if (unfinished !== undefined && save !== undefined && unsaved === undefined)
        emit({ kind: 'note', text: `${self}: its model after ${unfinished} rounds is in ${save}` })
      return unsaved
    }
  })
}
