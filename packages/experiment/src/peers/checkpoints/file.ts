/** A peer's checkpoint as a file: its vectors as tensors, all else as metadata, and a checksum of both. */
import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Saved, SavedTree } from '@murmuration/algorithms'
import { InputError, type PeerName, peerName } from '@murmuration/core'
import type { RunSettings } from '@murmuration/libp2p'
import { replacePrivateFile } from '@murmuration/results'
import { encodeSafetensors, encodeSafetensorsHeader, type SafetensorsHeader, tensorsIn } from '@murmuration/vectors'
import * as z from 'zod'
import { fill, readHeader, withFile } from '../../base/tensor-file.js'

/** The peer, round and run of a checkpoint. */
export interface CheckpointFacts extends RunSettings {
  readonly peer: PeerName
  /** The next round. */
  readonly round: number
  /** Peers that no longer counted: they had left, or been dead for long. */
  readonly gone: readonly PeerName[]
}

const format = 'murmuration-checkpoint/1'

/** How much is read and hashed at a time, so that the event loop is not blocked for long. */
const blockBytes = 1 << 20

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue('found invalid JSON')
    return z.NEVER
  }
})
const tensor = z.object({
  name: z.string(),
  shape: z.array(z.int().min(0)),
  kind: z.enum(['frozen', 'statistic']).optional(),
  momentum: z.number().min(0).max(1).optional()
})
const metadata = z.object({
  format: z.literal(format),
  peer: z.string(),
  round: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
  settings: json.pipe(z.record(z.string(), z.string())),
  schema: json.pipe(z.array(tensor)),
  start: z.string(),
  longest: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
  gone: json.pipe(z.array(z.string())).optional(),
  state: json,
  sha256: z.string()
})

/** A file that was read and found to be complete. */
interface Head extends SafetensorsHeader {
  readonly facts: CheckpointFacts
  readonly tree: SavedTree
}

/** Writes a checkpoint atomically. Throws an OutputError on failure. */
export async function writeCheckpoint(path: string, facts: CheckpointFacts, { tree, vectors }: Saved): Promise<void> {
  const tensors = [...vectors].map(([name, values]) => ({ name, shape: [values.length], values }))
  const entries = {
    format,
    peer: facts.peer,
    round: String(facts.round),
    settings: JSON.stringify(facts.settings),
    schema: JSON.stringify(facts.schema),
    start: facts.start,
    ...(facts.longest === undefined ? {} : { longest: String(facts.longest) }),
    gone: JSON.stringify(facts.gone),
    state: JSON.stringify(tree)
  }
  const hash = createHash('sha256')
  for (const part of encodeSafetensors(tensors, entries)) await hashBlocks(hash, part)
  await replacePrivateFile(path, encodeSafetensors(tensors, { ...entries, sha256: hash.digest('hex') }))
}

/** Reads and checks a whole file. Returns its facts. Throws an InputError if the file is damaged. */
export async function verifyCheckpoint(path: string): Promise<CheckpointFacts> {
  return withFile(path, async (file) => {
    const head = await readHead(file)
    const block = new Uint8Array(Math.min(blockBytes, head.dataBytes))
    const hash = hashOfHeader(head)
    for (let remaining = head.dataBytes; remaining > 0; remaining -= block.byteLength) {
      const part = block.subarray(0, remaining)
      await fill(file, part)
      hash.update(part)
    }
    checkHash(hash, head)
    return head.facts
  })
}

/**
 * Reads what {@link writeCheckpoint} wrote. Throws an InputError if the file is damaged.
 *
 * @param length - the maximum length of a vector, in numbers
 */
export async function readCheckpoint(path: string, length: number): Promise<Saved> {
  return withFile(path, async (file) => {
    const head = await readHead(file)
    const tooLong = head.places.find(({ begin, end }) => end - begin > 4 * length)
    if (tooLong !== undefined) throw new InputError(`tensor "${tooLong.name}": found more than ${length} numbers`)
    const data = new Uint8Array(head.dataBytes)
    await fill(file, data)
    const hash = hashOfHeader(head)
    await hashBlocks(hash, data)
    checkHash(hash, head)
    return { tree: head.tree, vectors: new Map(tensorsIn(data, head).map(({ name, values }) => [name, values])) }
  })
}

async function readHead(file: FileHandle): Promise<Head> {
  const header = await readHeader(file)
  const result = metadata.safeParse(header.metadata)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new InputError(`metadata "${issue.path.join('.')}": ${issue.message}`)
  }
  const { peer, round, settings, schema, start, longest, state, gone = [] } = result.data
  const run = { settings, schema, start, ...(longest === undefined ? {} : { longest }) }
  const facts = { peer: peerName(peer), round, ...run, gone: gone.map(peerName) }
  return { ...header, facts, tree: state as SavedTree }
}

/** A hash of the header without its own hash. */
function hashOfHeader({ places, metadata }: SafetensorsHeader): Hash {
  const { sha256: _, ...entries } = metadata
  return createHash('sha256').update(encodeSafetensorsHeader(places, entries))
}

function checkHash(hash: Hash, { metadata: { sha256 } }: SafetensorsHeader): void {
  const found = hash.digest('hex')
  if (found !== sha256) throw new InputError(`found the SHA-256 ${found}, expected ${sha256}`)
}

async function hashBlocks(hash: Hash, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.byteLength; start += blockBytes) {
    if (start > 0) await new Promise(setImmediate)
    hash.update(bytes.subarray(start, start + blockBytes))
  }
}
