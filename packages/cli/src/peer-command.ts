import { writeFile } from 'node:fs/promises'
import { peerName } from '@murmuration/core'
import { hashVector } from '@murmuration/vectors'
import type { PeerSummary, RunEvent } from './events.js'
import { makePlan, type RunRequest, startEvent } from './plan.js'
import { placeOf } from './roster.js'
import { type PeerResult, runPeer } from './run-peer.js'
import { safetensors } from './safetensors.js'

/** How this machine's peer runs. */
export interface PeerOptions {
  readonly as: string
  readonly key?: string
  readonly save?: string
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly wait: number
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Runs one peer of a topology on this machine. Rejects with the typed errors of core. */
export async function runPeerCommand(request: RunRequest, options: PeerOptions): Promise<PeerSummary> {
  const plan = await makePlan(request)
  const self = peerName(options.as)
  const { identity, listen, roster } = await placeOf(plan, self, options.key)
  options.emit(startEvent(plan))
  const others = roster.filter(({ name }) => name !== self).map(({ name }) => name)
  options.emit({
    kind: 'note',
    text: `${self} waits up to ${options.wait / 1000} s for its neighbours among ${others.join(', ')}`
  })
  const result = await runPeer({
    plan,
    self,
    identity,
    listen,
    roster: async () => roster,
    patience: options.wait,
    emit: options.emit,
    signal: options.signal
  })
  if (options.save !== undefined) await writeFile(options.save, safetensors(result.task.schema, result.parameters))
  const { rounds, batchSize, seed } = plan.options
  const summary = summarise(result, { self, peers: roster.length, rounds, samples: rounds * batchSize, seed })
  options.emit(summary)
  return summary
}

function summarise(
  { evaluation, seconds, disagreement, traffic, waiting, task, parameters }: PeerResult,
  { self, ...run }: Pick<PeerSummary, 'peers' | 'rounds' | 'samples' | 'seed'> & { readonly self: PeerSummary['peer'] }
): PeerSummary {
  return {
    kind: 'summary',
    peer: self,
    ...run,
    seconds,
    ...evaluation,
    neighbourDistance: disagreement,
    bytesSent: traffic.sent.payload + traffic.sent.overhead,
    bytesReceived: traffic.received.payload + traffic.received.overhead,
    payloadSent: traffic.sent.payload,
    waiting,
    backend: task.about.backend ?? 'TypeScript',
    model: hashVector(parameters)
  }
}
