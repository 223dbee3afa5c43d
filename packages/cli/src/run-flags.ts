/** Converts the options of commands that run something to requests. */
import type { PeerName } from '@murmuration/core'
import type { Output, RunRequest } from '@murmuration/experiment'
import { InputError } from '@murmuration/core'
import type { DiscoveryOptions, RelayOptions } from '@murmuration/libp2p'
import type { PageRequest } from './browsers/serve-page.js'
import type { CheckpointFlags } from './checkpoint-options.js'
import { fileOrSample, sampleOf } from './samples.js'
import type { SimRequest } from './sim/sim-command.js'

export interface RunFlags extends CheckpointFlags {
  readonly train?: string
  readonly algorithm?: string
  readonly task?: string
  readonly data?: string
  readonly partition?: string
  readonly method?: string
  readonly init?: string
  readonly save?: string
  readonly out?: string
  readonly watch?: string | true
  readonly json?: boolean
}

/** Further options of `murmur peer`. */
export interface PeerFlags {
  readonly as: PeerName
  readonly key?: string
  readonly wait: number
  readonly listen: readonly string[]
  readonly seed: readonly string[]
  readonly lan?: boolean
  readonly via: true | readonly string[]
  readonly relay?: boolean
  readonly upnp?: boolean
  readonly browsers?: boolean
  readonly relayVectors?: boolean
}

/** How a peer finds others; undefined without any option for it. */
export function discoveryOf({ seed, lan = false }: PeerFlags): DiscoveryOptions | undefined {
  return seed.length > 0 || lan ? { seeds: seed, lan } : undefined
}

/** The relays through which a peer is reachable, and whether it is a relay itself. */
export function relayOf({ seed, via, relay, relayVectors: vectors }: Omit<PeerFlags, 'as'>): RelayOptions {
  if (via === true && seed.length === 0)
    throw new InputError(
      '--via without an address means the seeds, and there are none: give --via ADDRESS, or --seed ADDRESS'
    )
  return { via: via === true ? seed : via, vectors, ...(relay === true ? { offers: {} } : {}) }
}

/** A scenario; or, with any option for a training, a topology. */
export function simulated(path: string, flags: RunFlags): Pick<SimRequest, 'path' | 'args' | 'run'> {
  const { train, algorithm, task, data, partition } = flags
  const training = Object.entries({ train, algorithm, task, data, partition }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`]
  )
  if (training.length === 0) return { path: fileOrSample(path, 'sim'), args: path }
  const run = requestOf(path, flags)
  return { path: run.topology, args: [path, ...training].join(' '), run }
}

/** The files and options of a run. */
export function requestOf(
  topology: string,
  { train, algorithm, task, data, partition, method, init }: RunFlags
): RunRequest {
  return {
    topology: fileOrSample(topology, method === undefined ? 'topologies' : 'sim'),
    ...(method === undefined ? {} : { method }),
    ...(train === undefined ? {} : { train: fileOrSample(train, 'examples') }),
    ...(algorithm === undefined ? {} : { algorithm: sampleOf(algorithm, 'examples') ?? algorithm }),
    ...(task === undefined ? {} : { task: sampleOf(task, 'examples') ?? task }),
    ...(data === undefined ? {} : { data }),
    ...(partition === undefined ? {} : { partition }),
    init
  }
}

/**
 * Where the events of a peer go: with `--browsers` the page for them is served, too. `show` prints what must not be
 * recorded.
 */
export async function withPage(
  emit: Output['event'],
  {
    flags: { browsers, json },
    ...peer
  }: Omit<PageRequest, 'isSeen'> & { readonly flags: Pick<PeerFlags & RunFlags, 'browsers' | 'json'> }
): Promise<Output['event']> {
  if (browsers !== true) return emit
  const { pageForBrowsers } = await import('./browsers/serve-page.js')
  const serve = pageForBrowsers({ ...peer, isSeen: process.stdout.isTTY && json !== true })
  return (event) => {
    emit(event)
    serve(event)
  }
}
