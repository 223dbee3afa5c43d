import type { RefusalCode, Schema } from '@murmuration/core'
import { differenceOf, hashVector, lengthOf, unpack } from '@murmuration/vectors'
import { differencesBetween, type Settings, tellDifferences } from './settings.js'

/** What two peers must agree on before they exchange anything. */
export interface RunSettings {
  /** Every setting that all peers of the run must share, in the canonical form that `settingsOf` gives. */
  readonly settings: Settings
  /** The tensors of the model, in order. */
  readonly schema: Schema
  /**
   * A hash of the start parameters. Where peers have different stages of the model: one of each tensor, joined by
   * commas, empty for those of other stages; see {@link startOfTensors}.
   */
  readonly start: string
  /**
   * How many elements the longest vector on a link has, the same at all peers. As many as the tensors have together
   * when absent.
   */
  readonly longest?: number
}

/** How many elements a whole vector on the link has at most. */
export function elementsOf({ schema, longest }: RunSettings): number {
  return longest ?? lengthOf(schema)
}

/**
 * The `start` of a peer that has a part of the model's tensors: those of `own`, with their start parameters one after
 * the other.
 */
export function startOfTensors(schema: Schema, own: Schema, parameters: Float32Array): string {
  const values = new Map(unpack(own, parameters).map((tensor, index) => [own[index].name, tensor]))
  const hashOf = (tensor: Float32Array | undefined) => (tensor === undefined ? '' : hashVector(tensor).slice(0, 16))
  return schema.map(({ name }) => hashOf(values.get(name))).join()
}

/** Why two peers cannot exchange. */
export interface Mismatch {
  readonly code: RefusalCode
  /** A sentence that speaks of "here" and "there". */
  readonly reason: string
}

/** How the run settings differ, from the view of `ours`; `undefined` when they agree. */
export function mismatchOf(ours: RunSettings, theirs: RunSettings): Mismatch | undefined {
  const differences = differencesBetween(ours.settings, theirs.settings)
  if (differences.length > 0) return { code: 'settings', reason: tellDifferences(differences) }
  const difference = differenceOf(ours.schema, theirs.schema)
  if (difference !== undefined) return { code: 'schema', reason: difference }
  const [longest, other] = [elementsOf(ours), elementsOf(theirs)]
  if (longest !== other)
    return { code: 'schema', reason: `the longest vector has ${longest} numbers here and ${other} there` }
  const [here, there] = [ours.start.split(','), theirs.start.split(',')]
  const tensor = here.findIndex((hash, index) => hash !== '' && there[index] !== '' && hash !== there[index])
  if (tensor === -1) return undefined
  const of = here.length > 1 ? ` of ${ours.schema[tensor]?.name}` : ''
  const reason = `the start parameters${of} have the hash "${here[tensor]}" here and "${there[tensor]}" there, though all settings agree`
  return { code: 'start', reason: `${reason}; does the code of the model, its version, or the file of --init differ?` }
}
