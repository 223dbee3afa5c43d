import type { KernelConfig, UnsortedSegmentSumAttrs } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { composed, valuesOf } from './composed.js'

const { tensor, UnsortedSegmentSum } = core

/** The gradient of looking rows up in a table, as embeddings do: the sum of a row's gradients. The backend has none. */
export const segmentKernels: readonly KernelConfig[] = [
  composed<'x' | 'segmentIds', UnsortedSegmentSumAttrs>(UnsortedSegmentSum, ({ x, segmentIds }, { numSegments }) => {
    const rowShape = x.shape.slice(segmentIds.rank)
    const rowLength = rowShape.reduce((product, extent) => product * extent, 1)
    const sums = new Float32Array(numSegments * rowLength)
    const rows = valuesOf(x)
    for (const [row, segment] of segmentIds.dataSync<'int32'>().entries()) {
      // As in the other backends, a row whose number is outside of the table is ignored.
      if (segment >= 0 && segment < numSegments) addRow(sums, segment * rowLength, rows, row * rowLength, rowLength)
    }
    return tensor(sums, [numSegments, ...rowShape], x.dtype)
  })
]

function addRow(sums: Float32Array, to: number, rows: Float32Array, from: number, length: number): void {
  for (let i = 0; i < length; i++) sums[to + i] += rows[from + i]
}
