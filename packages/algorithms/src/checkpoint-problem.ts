import { checkpointProblem as problemOfVector } from '@murmuration/engine'
import type { AnyAlgorithm } from './registry.js'

/** Why checkpoints of all peers at the same round are inconsistent, or there are none, in words; else undefined. */
export function checkpointProblem(record: AnyAlgorithm): string | undefined {
  if (record.kind === 'vector') return problemOfVector(record)
  return `${record.title} has no checkpoints yet: its parameters are rows, divided among all peers`
}
