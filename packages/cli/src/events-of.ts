import {
  type EventLog,
  readEventLogs,
  type Results,
  runsOfLogs,
  timelinesOfLogs,
  type TimelineRun
} from '@murmuration/results'

/** A folder, and its own results before merging. */
interface EventsFolder {
  readonly path: string
  readonly results: Results
}

/**
 * Adds the timelines from the folders' event logs to merged results. The methods are those of the folders, in the same
 * order.
 */
export async function withEvents(results: Results, folders: readonly EventsFolder[]): Promise<Results> {
  const { methods } = results.sweep
  const runOf = new Map<EventLog, TimelineRun>()
  let first = 0
  for (const { path, results: ownResults } of folders) {
    const { label: method } = methods[first] ?? methods[0]
    const of = { settings: {}, method, seed: ownResults.sweep.seeds[0] }
    for (const log of await readEventLogs(path)) runOf.set(log, of)
    first += ownResults.sweep.methods.length
  }
  const timelines = runsOfLogs([...runOf.keys()]).flatMap((logs, index, all) => {
    const run = logs.flatMap((log) => runOf.get(log) ?? [])[0]
    const found = timelinesOfLogs(logs, run)
    if (all.length === 1) return found
    return found.map((timeline) => ({
      ...timeline,
      title: `run ${index + 1}, ${timeline.method}: ${timeline.title ?? ''}`
    }))
  })
  return { ...results, timelines: [...results.timelines, ...timelines] }
}
