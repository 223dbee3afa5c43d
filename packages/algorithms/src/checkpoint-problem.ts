import { checkpointProblem as problemOfVector } from '@murmuration/engine'
import type { AnyAlgorithm } from './registry.js'

/** Why checkpoints of all peers at the same round are inconsistent, in words; undefined where they are not. */
export function checkpointProblem(record: AnyAlgorithm): string | undefined {
  return record.kind === 'vector' ? problemOfVector(record) : undefined
}
