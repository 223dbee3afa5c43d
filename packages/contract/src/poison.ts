import { type Fabric, fabricWith, type Move, type StepReport } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/**
 * `fabric`, but freed and recycled vectors are filled with NaN, so that code that still reads them is found. Only for
 * worlds that copy a message when it is sent: elsewhere freed memory may still be in flight.
 */
export function poisonedFabric(fabric: Fabric<VectorMessage>): Fabric<VectorMessage> {
  return fabricWith(fabric, {
    recycle: (message) => {
      message.vector.fill(Number.NaN)
      fabric.recycle(message)
    },
    reject: (envelope, reason) => {
      envelope.message.vector.fill(Number.NaN)
      fabric.reject(envelope, reason)
    },
    allocate: (length) => fabric.allocate(length).fill(Number.NaN),
    free: (vector) => {
      vector.fill(Number.NaN)
      fabric.free(vector)
    },
    spawn: (activity) => fabric.spawn((spawned) => activity(poisonedFabric(spawned)))
  })
}

/**
 * `steps`, but a report's vectors become NaN when the next step is asked for: code that keeps a report has to copy
 * them.
 */
export async function* poisonedSteps(
  steps: AsyncGenerator<StepReport, Float32Array>
): AsyncGenerator<StepReport, Float32Array> {
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
    const report = withCopies(step.value)
    yield report
    for (const vector of vectorsOf(report)) {
      vector.fill(Number.NaN)
    }
  }
}

function vectorsOf({ parameters, moves, mass }: StepReport): readonly Float32Array[] {
  const others = [...moves.flatMap(({ from, to }) => [from, to]), ...(mass === undefined ? [] : [mass.x])]
  return [parameters, ...others.map(({ values }) => values)]
}

function withCopies(report: StepReport): StepReport {
  const copyOf = ({ values }: Move['from']) => ({ values: values.slice() })
  const moves = report.moves.map(({ from, to }) => ({ from: copyOf(from), to: copyOf(to) }))
  const mass = report.mass && { ...report.mass, x: copyOf(report.mass.x) }
  return { ...report, parameters: report.parameters.slice(), moves, mass }
}
