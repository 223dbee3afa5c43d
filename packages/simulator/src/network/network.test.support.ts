import { byName, type PeerName, peerName, type Topology, type Wire } from '@murmuration/core'
import { simulate } from '../simulate.js'
import { type SimulationOptions, uniformLinks } from '../simulation-options.js'

/** A message is its length in bytes. */
export const wire: Wire<number> = {
  byteLength: (bytes) => bytes,
  payloadLength: (bytes) => bytes,
  copy: (bytes) => bytes
}

export const namesOf = (count: number) =>
  Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))

/** Peers without neighbours, which send to any peer. */
export function nobody(peers: readonly PeerName[]): Topology {
  return {
    peers: [...peers].sort(byName),
    period: 1,
    mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
  }
}

export interface Send {
  readonly from: number
  readonly to: number
  readonly bytes: number
  readonly at?: number
}

/**
 * Sends all, and returns when each arrived, in the order of `sends`. For each pair the sizes must be in the order of
 * time.
 */
export async function arrivals(count: number, sends: readonly Send[], options: Partial<SimulationOptions<number>>) {
  const peers = namesOf(count)
  const times = new Map<Send, number>()
  await simulate(
    {
      topology: nobody(peers),
      seed: 1,
      wire,
      links: uniformLinks({}),
      cost: () => 0,
      queueLimit: 1e6,
      observer: {
        message: (from, to, bytes, _, arrived) => {
          const sent = sends.find(
            (send) => peers[send.from] === from && peers[send.to] === to && send.bytes === bytes && !times.has(send)
          )
          if (sent !== undefined && arrived !== undefined) times.set(sent, arrived)
        }
      },
      ...options
    },
    async (fabric) => {
      const own = peers.indexOf(fabric.self)
      for (const { to, bytes, at = 0 } of sends
        .filter(({ from }) => from === own)
        .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))) {
        await fabric.sleep(at)
        fabric.send(peers[to], bytes)
      }
      for (const _ of sends.filter(({ to }) => to === own)) await fabric.receive()
    }
  )
  return sends.map((send) => times.get(send) ?? Number.NaN)
}

export const close = (actual: number, expected: number, tolerance = 1e-9) =>
  Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected))
