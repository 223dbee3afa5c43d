import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventLine, eventLine, eventsFolder } from './lines.js'

/** The log of one process of a peer. */
export interface EventLog {
  readonly peer: string
  readonly run: string
  readonly machine: string
  /** Ordered by time. */
  readonly lines: readonly EventLine[]
}

/** The logs in the folder `events` of a folder of results; empty if it has none. Damaged lines are left out. */
export async function readEventLogs(directory: string): Promise<readonly EventLog[]> {
  const folder = join(directory, eventsFolder)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl')).sort()
  const processes = new Map<string, EventLog & { readonly lines: EventLine[] }>()
  for (const name of names) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n').flatMap((text) => eventLine(text) ?? [])
    const [head] = lines
    if (head?.kind !== 'log') continue
    const { peer, run, machine, pid } = head
    const key = `${peer} ${machine} ${pid}`
    const log = processes.get(key) ?? { peer, run, machine, lines: [] }
    processes.set(key, log)
    for (const line of lines) log.lines.push(line)
  }
  return [...processes.values()]
}
