import type { Fabric, StepReport } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { fabricWith } from './fabric-with.js'

/**
 * `fabric`, but what is freed or recycled is filled with NaN, so that whoever still reads it is found. For worlds that copy a
 * message when it is sent: elsewhere freed memory may still be on its way.
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

/** `steps`, but a report's vectors are NaN as soon as the next step is asked for: who keeps a report has to copy them. */
export async function* poisonedSteps(
  steps: AsyncGenerator<StepReport, Float32Array>
): AsyncGenerator<StepReport, Float32Array> {
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
    const report = withCopies(step.value)
    yield report
    report.parameters.fill(Number.NaN)
    report.average?.fill(Number.NaN)
  }
}

/** Where the average is what comes next, it is so in the copy too. */
function withCopies(report: StepReport): StepReport {
  const parameters = report.parameters.slice()
  if (report.average === undefined) return { ...report, parameters }
  return { ...report, parameters, average: report.average === report.parameters ? parameters : report.average.slice() }
}
