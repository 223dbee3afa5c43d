import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventLine, eventLine, eventsFolder } from './lines.js'

/** The log of one process of a peer. */
export interface EventLog {
  readonly peer: string
  readonly run: string
  readonly machine: string
  /** Random for each process of a peer; absent in older logs. */
  readonly incarnation?: string
  /** The incarnations of other peers with which this process was connected, by their names. */
  readonly met?: ReadonlyMap<string, ReadonlySet<string>>
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
  return [...processes.values()].map((log) => ({ ...log, ...meetings(log.lines) }))
}

/** Who this process was, and whom it met. Each file of a log begins with those that were met before. */
function meetings(lines: readonly EventLine[]): Pick<EventLog, 'incarnation' | 'met'> {
  let own: string | undefined
  const met = new Map<string, Set<string>>()
  const meet = (name: string, incarnation: string) => met.set(name, (met.get(name) ?? new Set()).add(incarnation))
  for (const line of lines) {
    if (line.kind === 'log') {
      own ??= line.incarnation
      for (const [name, incarnation] of Object.entries(line.met ?? {})) meet(name, incarnation)
    } else if (line.kind === 'neighbour' && line.incarnation !== undefined) meet(line.neighbour, line.incarnation)
  }
  return own === undefined ? {} : { incarnation: own, met }
}
