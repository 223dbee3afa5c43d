import { type EventLog, readEventLogs, type Results, timelinesOfLogs, type TimelineRun } from '@murmuration/results'

/** A folder, and its own results before merging. */
interface Folder {
  readonly path: string
  readonly results: Results
}

/** A peer's log, and the run that its folder belongs to. */
interface RunLog {
  readonly log: EventLog
  readonly of: TimelineRun
}

/** Adds the timelines from the folders' event logs to merged results. The methods are those of the folders, in the same order. */
export async function withEvents(results: Results, folders: readonly Folder[]): Promise<Results> {
  const { methods } = results.sweep
  const logs: RunLog[] = []
  let first = 0
  for (const { path, results: ownResults } of folders) {
    const { label: method } = methods[first] ?? methods[0]
    const of = { settings: {}, method, seed: ownResults.sweep.seeds[0] }
    logs.push(...(await readEventLogs(path)).map((log) => ({ log, of })))
    first += ownResults.sweep.methods.length
  }
  const timelines = runsIn(logs).flatMap((run, index, all) => {
    const found = timelinesOfLogs(
      run.map(({ log }) => log),
      run[0].of
    )
    if (all.length === 1) return found
    return found.map((timeline) => ({
      ...timeline,
      title: `run ${index + 1}, ${timeline.method}: ${timeline.title ?? ''}`
    }))
  })
  return { ...results, timelines: [...results.timelines, ...timelines] }
}

/** Groups logs by run: logs with the same settings whose times overlap by the clocks of their machines. */
function runsIn(logs: readonly RunLog[]): readonly (readonly RunLog[])[] {
  const spans = logs
    .map((each) => ({ each, lines: each.log.lines }))
    .map(({ each, lines }) => ({ each, start: Date.parse(lines[0].at), end: Date.parse(lines[lines.length - 1].at) }))
    .sort((left, right) => left.start - right.start)
  const runs: { readonly run: string; end: number; readonly logs: RunLog[] }[] = []
  for (const { each, start, end } of spans) {
    const current = runs.find(({ run, end: last }) => run === each.log.run && start <= last)
    if (current === undefined) runs.push({ run: each.log.run, end, logs: [each] })
    else {
      current.logs.push(each)
      current.end = Math.max(current.end, end)
    }
  }
  return runs.map((run) => run.logs)
}
