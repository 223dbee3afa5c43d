import type { RunEvent } from '../../base/events.js'
import type { EventLogWriter, EventLogOptions } from './event-log.js'

/** What a peer that has a log receives. */
export interface Logging {
  readonly log: EventLogWriter | undefined
  /** Emits, and logs the event. */
  readonly emit: (event: RunEvent) => void
}

/**
 * Runs a peer with an event log in `directory`, if there is one. The log ends with the peer, with the reason if that is
 * an error.
 */
export async function withEventLog<Result>(
  { directory, ...options }: Omit<EventLogOptions, 'directory' | 'now'> & { readonly directory: string | undefined },
  body: (logging: Logging) => Promise<Result>
): Promise<Result> {
  const { emit } = options
  if (directory === undefined) return body({ log: undefined, emit })
  const { EventLogWriter: Log } = await import('./event-log.js')
  const log = new Log({ ...options, directory, now: () => performance.now() })
  const both = (event: RunEvent) => {
    log.event(event)
    emit(event)
  }
  try {
    const result = await body({ log, emit: both })
    await log.end()
    return result
  } catch (error) {
    await log.end(error)
    throw error
  }
}
