import type { SimulatedRecord } from '@murmuration/results'

/** The fractions of the workers' time in which they compute, send and wait, on average over the workers. */
export function timeFractions(times: readonly SimulatedRecord['time'][]): SimulatedRecord['time'] {
  const sums = { working: 0, sending: 0, waiting: 0 }
  for (const { working, sending, waiting } of times) {
    const all = working + sending + waiting
    if (all === 0) continue
    sums.working += working / all
    sums.sending += sending / all
    sums.waiting += waiting / all
  }
  const count = times.length
  return { working: sums.working / count, sending: sums.sending / count, waiting: sums.waiting / count }
}
