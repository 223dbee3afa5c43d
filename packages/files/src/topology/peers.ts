import { isIPv4, isIPv6 } from 'node:net'
import { messageOf, type PeerName, peerName, type Problem, problem } from '@murmuration/core'
import { z } from 'zod'

/** The most peers that a topology file may have. */
export const maxPeers = 10_000

const name = z.string().transform((text, context): PeerName => {
  try {
    return peerName(text)
  } catch (error) {
    context.issues.push({ code: 'custom', input: text, message: `a name: ${messageOf(error)}` })
    return z.NEVER
  }
})

/** A libp2p peer id as text. */
export const idSchema = z.string().regex(/^((12D3KooW|16Uiu2HA.|Qm)[1-9A-HJ-NP-Za-km-z]{44})$/, {
  error: 'a libp2p peer id, such as 12D3KooW and 44 letters and digits (murmur identity shows it)'
})

/** The text of an address that another peer can dial, or (with port 0 too) that a peer can listen on. */
const address = (minPort: number) => {
  const expected = `a multiaddr of TCP such as /ip4/192.168.1.10/tcp/4001${minPort > 0 ? ' with a port above 0' : ''}`
  return z.string({ error: expected }).refine((text) => isAddress(text, minPort), { error: expected })
}

const peer = z.strictObject({
  name,
  role: z
    .enum(['worker', 'server'])
    .optional()
    .meta({ description: 'worker (the default) or server; a server has no place in the graph, and no data.' }),
  id: idSchema.optional(),
  invited: z.literal(true).optional().meta({
    description:
      'Whether the place is for a peer with an invitation for this name; then it has no id and no address here.'
  }),
  addresses: z.array(address(1)).optional().meta({ description: 'The addresses at which other peers reach this one.' }),
  listen: z
    .array(address(0))
    .optional()
    .meta({ description: 'The addresses at which this peer listens, if they differ.' })
})

/** The peers of a topology file: how many, or names, or mappings with names, ids and addresses. */
export const peersSchema = z.union([
  z.int().min(1).max(maxPeers),
  z
    .array(z.union([name, peer]))
    .min(1)
    .max(maxPeers)
])

/** A peer as a topology file gives it. */
export interface PeerEntry {
  readonly name: PeerName
  readonly role: 'worker' | 'server'
  /** The libp2p peer id. */
  readonly id?: string | undefined
  /** Whether the place is for a peer that comes with an invitation. */
  readonly invited: boolean
  /** Multiaddrs at which others reach this peer; may be empty. */
  readonly addresses: readonly string[]
  /** Multiaddrs on which it listens, if the file sets them. */
  readonly listen?: readonly string[] | undefined
}

/** Reports invalid places for invited peers; paths begin with the index of the peer. */
export function invitedProblems(entries: readonly PeerEntry[], runKey: string | undefined): Problem[] {
  const problems = entries.flatMap(({ name, role, id, invited, addresses, listen }, index) => {
    if (!invited) return []
    if (role === 'server') return [problem([index], `found the server "${name}" as invited, expected a worker`)]
    const isKnown = id !== undefined || addresses.length > 0 || listen !== undefined
    if (isKnown) return [problem([index], `found an id or address of "${name}", which is invited; expected none`)]
    const expected = 'expected runKey: with the id that "murmur invite" prints'
    return runKey === undefined ? [problem([index], `found "${name}" as invited and no runKey, ${expected}`)] : []
  })
  if (entries.some(({ invited }) => !invited)) return problems
  return [...problems, problem([], 'found only invited peers, expected one with an id, which admits the others')]
}

/** One entry per peer. A number n gives p1 … pn, padded with zeros so that the names sort as the numbers do. */
export function peerEntries(peers: z.output<typeof peersSchema>): readonly PeerEntry[] {
  if (typeof peers === 'number') {
    const digits = String(peers).length
    return Array.from({ length: peers }, (_, index) =>
      entry({ name: peerName(`p${String(index + 1).padStart(digits, '0')}`) })
    )
  }
  return peers.map((each) => entry(typeof each === 'string' ? { name: each } : each))
}

/** Reports duplicate names, ids and addresses, and a list of servers only; paths begin with the index of the peer. */
export function peerProblems(entries: readonly PeerEntry[]): Problem[] {
  if (entries.every(({ role }) => role === 'server')) return [problem([], 'found only servers, expected a worker')]
  const owners = new Map<string, number>()
  return entries.flatMap(({ name, id, addresses }, index) =>
    [name, id ?? [], addresses].flat().flatMap((text) => {
      const owner = owners.get(text)
      if (owner === undefined) owners.set(text, index)
      return owner === undefined
        ? []
        : [problem([index], `found "${text}" again, expected it once (peer ${owner + 1} in the list has it)`)]
    })
  )
}

function entry({ name, role = 'worker', id, invited, addresses = [], listen }: z.output<typeof peer>): PeerEntry {
  return { name, role, id, invited: invited === true, addresses, listen }
}

const shape = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d{1,5})(\/p2p\/[1-9A-HJ-NP-Za-km-z]+)?$/

function isAddress(text: string, minPort: number): boolean {
  const [, kind, host, port] = shape.exec(text) ?? []
  if (kind === undefined || Number(port) < minPort || Number(port) > 65535) return false
  return kind === 'ip4' ? isIPv4(host) : kind === 'ip6' ? isIPv6(host) : true
}
