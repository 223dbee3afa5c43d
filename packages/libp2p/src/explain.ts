import { messageOf } from '@murmuration/core'

/** The message of anything that was thrown, with the messages of the errors inside instead of a mere "all failed". */
export function explain(thrown: unknown): string {
  if (!(thrown instanceof AggregateError) || thrown.errors.length === 0) return messageOf(thrown)
  return [...new Set(thrown.errors.map(explain))].join('; ')
}
