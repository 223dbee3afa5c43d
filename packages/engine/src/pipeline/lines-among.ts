import type { PeerName } from '@murmuration/core'

/**
 * The lines where some peers are gone: in the place of each comes the replica of its stage that has the fewest lines,
 * and of several the next one after it in the order of the lines. The same at all peers.
 *
 * @param lines - of all peers, each in one
 * @returns undefined where a stage has nobody left
 */
export function linesAmong(
  lines: readonly (readonly PeerName[])[],
  isThere: (peer: PeerName) => boolean
): readonly (readonly PeerName[])[] | undefined {
  const stages = lines[0].map((_, stage) =>
    placesAmong(
      lines.map((line) => line[stage]),
      isThere
    )
  )
  const isWhole = (peers: readonly (PeerName | undefined)[]): peers is readonly PeerName[] => !peers.includes(undefined)
  if (!stages.every(isWhole)) return undefined
  return lines.map((_, line) => stages.map((peers) => peers[line]))
}

/** Who has the place of each replica of a stage. */
function placesAmong(
  replicas: readonly PeerName[],
  isThere: (peer: PeerName) => boolean
): readonly (PeerName | undefined)[] {
  const loads = new Map(replicas.filter(isThere).map((peer) => [peer, 1]))
  return replicas.map((peer, index) => {
    if (loads.has(peer)) return peer
    const others = [...replicas.slice(index + 1), ...replicas.slice(0, index)].filter((other) => loads.has(other))
    const least = Math.min(...others.map((other) => loads.get(other) ?? 0))
    const next = others.find((other) => loads.get(other) === least)
    if (next !== undefined) loads.set(next, least + 1)
    return next
  })
}

/** The stages that nobody is left of. */
export function stagesWithout(
  lines: readonly (readonly PeerName[])[],
  isThere: (peer: PeerName) => boolean
): readonly number[] {
  return lines[0].flatMap((_, stage) => (lines.some((line) => isThere(line[stage])) ? [] : [stage]))
}

/** The peers that train the same stage as this one, itself among them; all peers where the model is not cut. */
export function replicasOf<Peer extends { readonly name: PeerName }>(
  lines: readonly (readonly PeerName[])[] | undefined,
  self: PeerName,
  peers: readonly Peer[]
): readonly Peer[] {
  const stage = stageOf(lines, self)
  return peers.filter(({ name }) => stageOf(lines, name) === stage)
}

/** Which stage a peer trains; 0 where the model is not cut. */
export function stageOf(lines: readonly (readonly PeerName[])[] | undefined, peer: PeerName): number {
  return lines?.find((line) => line.includes(peer))?.indexOf(peer) ?? 0
}
