import type { RefusalCode, Schema } from '@murmuration/core'
import { differenceOf } from '@murmuration/vectors'
import { differencesBetween, type Settings, tellDifferences } from './settings.js'

/** What two peers must agree on before they exchange anything. */
export interface RunSettings {
  /** Every setting that all peers of the run must share, in the canonical form that `settingsOf` gives. */
  readonly settings: Settings
  /** The tensors of the model, in order. A whole vector on the link has as many elements as they have together. */
  readonly schema: Schema
  /** A hash of the start parameters. */
  readonly start: string
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
  if (ours.start === theirs.start) return undefined
  const reason = `the start parameters have the hash "${ours.start}" here and "${theirs.start}" there, though all settings agree`
  return { code: 'start', reason: `${reason}; does the code of the model, its version, or the file of --init differ?` }
}
