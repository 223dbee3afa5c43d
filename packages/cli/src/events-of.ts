import { type EventLog, readEventLogs, type Results, timelinesOfLogs } from '@murmuration/results'

/** Results with the timelines that the event logs of their folders come to. */
export async function withEvents(results: Results, folders: readonly string[]): Promise<Results> {
  const logs = (await Promise.all(folders.map(readEventLogs))).flat()
  const [{ label: method }] = results.sweep.methods
  const run = { settings: {}, method, seed: results.sweep.seeds[0] }
  const timelines = runsIn(logs).flatMap((each, place, all) => {
    const found = timelinesOfLogs(each, run)
    return all.length === 1
      ? found
      : found.map((timeline) => ({ ...timeline, title: `run ${place + 1}: ${timeline.title ?? ''}` }))
  })
  return { ...results, timelines: [...results.timelines, ...timelines] }
}

/** The logs of each run together: those of the same settings whose times overlap by the clocks of their machines. */
function runsIn(logs: readonly EventLog[]): readonly (readonly EventLog[])[] {
  const spans = logs
    .map((log) => ({ log, start: Date.parse(log.lines[0].at), end: Date.parse(log.lines[log.lines.length - 1].at) }))
    .sort((left, right) => left.start - right.start)
  const runs: { readonly run: string; end: number; readonly logs: EventLog[] }[] = []
  for (const { log, start, end } of spans) {
    const current = runs.find((each) => each.run === log.run && start <= each.end)
    if (current === undefined) runs.push({ run: log.run, end, logs: [log] })
    else {
      current.logs.push(log)
      current.end = Math.max(current.end, end)
    }
  }
  return runs.map(({ logs: own }) => own)
}
