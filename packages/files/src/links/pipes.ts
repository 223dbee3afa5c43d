import { invariant, type Path, type PeerName, type Pipe, type Problem, problem, within } from '@murmuration/core'
import * as z from 'zod'
import { unknownPeer } from '../nearest.js'
import { bitRate } from '../quantities.js'

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { error: 'a name of 1 to 64 letters, digits, ".", "_" or "-"' })
const duplex = z
  .enum(['full', 'half'])
  .optional()
  .meta({ description: 'full: each direction has the whole bandwidth. half: both directions share it.' })
const group = z.array(z.string()).min(1)

/** A line that several peers share, in links. */
export const pipeSchema = z.union([
  z
    .strictObject({
      name,
      bandwidth: bitRate().optional(),
      up: bitRate().optional(),
      down: bitRate().optional(),
      peers: group,
      duplex
    })
    .meta({
      description: 'All traffic between these peers and all others passes through it; up is away from these peers.'
    }),
  z
    .strictObject({
      name,
      bandwidth: bitRate(),
      between: z.tuple([group, group], { error: 'two lists of peers' }),
      duplex
    })
    .meta({ description: 'All traffic between the peers of one list and those of the other passes through it.' })
])

type PipeDescription = z.output<typeof pipeSchema>
type PipeAround = Exclude<PipeDescription, { readonly between: unknown }>

/** Reports duplicate pipes, names that no peer has, and invalid groups. Paths begin with the pipe's index. */
export function pipeProblems(pipes: readonly PipeDescription[], known: readonly PeerName[]): Problem[] {
  const seen = new Set<string>()
  return pipes.flatMap((pipe, index) => {
    const repeated = seen.has(pipe.name)
      ? [problem(['name'], `found the pipe "${pipe.name}" again, expected each name once`)]
      : []
    seen.add(pipe.name)
    const others = 'between' in pipe ? sidesProblems(pipe.between, known) : aroundProblems(pipe, known)
    return within([index], [...repeated, ...others])
  })
}

function sidesProblems(sides: readonly [readonly string[], readonly string[]], known: readonly PeerName[]): Problem[] {
  const first = new Set(sides[0])
  const onBoth = sides[1].flatMap((peer, index) =>
    first.has(peer) ? [problem(['between', 1, index], `found "${peer}" on both sides, expected it on one`)] : []
  )
  return [...sides.flatMap((side, index) => groupProblems(side, known, ['between', index])), ...onBoth]
}

function aroundProblems(pipe: PipeAround, known: readonly PeerName[]): Problem[] {
  const problems = groupProblems(pipe.peers, known, ['peers'])
  const inside = new Set<string>(pipe.peers)
  const isEmpty = known.every((peer) => inside.has(peer))
  const beyond = isEmpty ? [problem(['peers'], 'found all peers, expected some on the other side of the pipe')] : []
  return [...problems, ...beyond, ...rateProblems(pipe)]
}

function rateProblems({ bandwidth, up, down, duplex }: PipeAround): Problem[] {
  const found = up !== undefined ? 'up' : down !== undefined ? 'down' : undefined
  if (duplex === 'half' && found !== undefined) {
    return [{ path: [found], at: 'key', message: `found "${found}" of a half-duplex pipe, expected bandwidth` }]
  }
  if (bandwidth !== undefined || (up !== undefined && down !== undefined)) return []
  return [problem([], found === undefined ? 'missing, expected bandwidth, or up and down' : missingOther(found))]
}

function missingOther(found: 'up' | 'down'): string {
  return `found only "${found}", expected "${found === 'up' ? 'down' : 'up'}" or bandwidth too`
}

function groupProblems(group: readonly string[], known: readonly PeerName[], at: Path): Problem[] {
  const names = new Set<string>(known)
  return group.flatMap((peer, index) => {
    if (!names.has(peer)) return [problem([...at, index], unknownPeer(peer, known))]
    return group.indexOf(peer) === index ? [] : [problem([...at, index], `found "${peer}" again, expected it once`)]
  })
}

/**
 * The pipes on the path from one peer to another, in the order of the file. A full-duplex pipe has a name per
 * direction.
 */
export function createPipes(pipes: readonly PipeDescription[]): (from: PeerName, to: PeerName) => readonly Pipe[] {
  const crossings = pipes.map(crossingOf)
  return (from, to) => crossings.flatMap((crossing) => crossing(from, to))
}

type Crossing = (from: PeerName, to: PeerName) => readonly Pipe[]

function crossingOf(pipe: PipeDescription): Crossing {
  if ('between' in pipe) {
    const [first, second] = pipe.between.map((side) => new Set<string>(side))
    const rates = { up: pipe.bandwidth, down: pipe.bandwidth }
    const [forward, backward] = directions(pipe, rates, ['1→2', '2→1'])
    return (from, to) => {
      if (first.has(from) && second.has(to)) return [forward]
      return second.has(from) && first.has(to) ? [backward] : []
    }
  }
  const inside = new Set<string>(pipe.peers)
  const rates = { up: pipe.up ?? pipe.bandwidth, down: pipe.down ?? pipe.bandwidth }
  const [up, down] = directions(pipe, rates, ['up', 'down'])
  return (from, to) => (inside.has(from) === inside.has(to) ? [] : [inside.has(from) ? up : down])
}

/** Pipes with the same name are one pipe, so a half-duplex pipe is the same in both directions. */
function directions(
  { name, duplex }: PipeDescription,
  { up, down }: { readonly up: number | undefined; readonly down: number | undefined },
  suffixes: readonly [string, string]
): readonly [Pipe, Pipe] {
  invariant(up !== undefined && down !== undefined, () => `pipe ${name} without a bandwidth`)
  const nameOf = (suffix: string) => (duplex === 'half' ? name : `${name} ${suffix}`)
  return [
    { name: nameOf(suffixes[0]), bandwidth: up },
    { name: nameOf(suffixes[1]), bandwidth: down }
  ]
}
