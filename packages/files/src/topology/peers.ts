import { messageOf, type PeerName, peerName, type Problem, problem, within } from '@murmuration/core'
import * as z from 'zod'
import { byteSize } from '../quantities.js'
import { addressProblem, type AddressUse, idInAddress, isPeerId, placeInAddress } from './addresses.js'

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

const anId = 'a libp2p peer id, such as 12D3KooW and 44 letters and digits (murmur identity shows it)'

/** A libp2p peer id as text. */
export const idSchema = z
  .string()
  .regex(/^((12D3KooW|16Uiu2HA.|Qm)[1-9A-HJ-NP-Za-km-z]{44})$/, { error: anId, abort: true })
  .refine(isPeerId, { error: anId })

/** The text of an address that another peer can dial, or that a peer can listen on. */
const address = (use: AddressUse) =>
  z
    .string({ error: 'a multiaddr of TCP such as /ip4/192.168.1.10/tcp/4001' })
    .refine((text) => addressProblem(text, use) === undefined, {
      error: ({ input }) => addressProblem(String(input), use)
    })

const peer = z.strictObject({
  name,
  role: z
    .enum(['worker', 'server'])
    .optional()
    .meta({ description: 'worker (the default) or server; a server has no place in the graph, and no data.' }),
  stage: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Which stage of the model it trains, from 0; all peers of a pipeline have one, or none.' }),
  memory: byteSize()
    .refine((bytes) => bytes > 0, 'more than 0 B')
    .optional()
    .meta({
      description:
        'How much memory its process may take: a model, or a stage, whose parameters take more is refused, and stages are cut to fit.'
    }),
  id: idSchema.optional(),
  invited: z.literal(true).optional().meta({
    description:
      'Whether the place is for a peer with an invitation for this name; then it has no id and no address here.'
  }),
  addresses: z
    .array(address('dial'))
    .optional()
    .meta({ description: 'The addresses at which other peers reach this one.' }),
  listen: z
    .array(address('listen'))
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
  /** The stage of the model that it trains, if the file sets it. */
  readonly stage?: number | undefined
  /** How much memory its process may take, in bytes. */
  readonly memory?: number | undefined
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

/**
 * Reports duplicate names, ids and addresses, addresses that end with the id of another peer, and a list of servers
 * only; paths begin with the index of the peer.
 */
export function peerProblems(entries: readonly PeerEntry[]): Problem[] {
  if (entries.every(({ role }) => role === 'server')) return [problem([], 'found only servers, expected a worker')]
  const owners = new Map<string, number>()
  return entries.flatMap((entry, index) => [
    ...claims(entry).flatMap(({ text, key, path }) => {
      const owner = owners.get(key)
      if (owner === undefined) owners.set(key, index)
      const where = `(peer ${(owner ?? 0) + 1} in the list has it)`
      return owner === undefined ? [] : [problem([index, ...path], `found "${text}" again, expected it once ${where}`)]
    }),
    ...within([index], foreignIds(entry))
  ])
}

/** What only one peer may have: each with the text in the file, its usual form, and where it is. */
function claims({ name, id, addresses }: PeerEntry) {
  return [
    { text: name, key: `name ${name}`, path: [] },
    ...(id === undefined ? [] : [{ text: id, key: `id ${id}`, path: ['id'] }]),
    ...addresses.flatMap((text, place) => {
      const key = placeInAddress(text)
      return key === undefined ? [] : [{ text, key, path: ['addresses', place] }]
    })
  ]
}

/**
 * Reports addresses that end with an id that is not the peer's; without an id in the file, that of its first address
 * counts.
 */
function foreignIds({ id, addresses }: PeerEntry): Problem[] {
  const ids = addresses.map(idInAddress)
  const own = id ?? ids.find((each) => each !== undefined)
  return ids.flatMap((found, place) =>
    found === undefined || found === own
      ? []
      : [problem(['addresses', place], `found the id ${found} at the end, expected ${own}, the id of this peer`)]
  )
}

function entry({
  name,
  role = 'worker',
  stage,
  memory,
  id,
  invited,
  addresses = [],
  listen
}: z.output<typeof peer>): PeerEntry {
  return {
    name,
    role,
    ...(stage === undefined ? {} : { stage }),
    ...(memory === undefined ? {} : { memory }),
    id,
    invited: invited === true,
    addresses,
    listen
  }
}
