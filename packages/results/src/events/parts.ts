/** The spans and marks of logs, on their common time. */
import { shortList } from '@murmuration/core'
import type { Mark, Span } from '../results.js'
import type { EventLine } from './lines.js'
import type { EventLog } from './read.js'

/** Converts a log's own time `t`, in milliseconds, to seconds of the common time. */
export type Seconds = (index: number, t: number) => number

/** The maximum number of marks. */
const maxMarks = 300

/**
 * What peers did, and when they were gone: a log without its last line belongs to a process that was killed, or to a
 * machine that failed.
 */
export function spansOf(logs: readonly EventLog[], seconds: Seconds, end: number): readonly Span[] {
  return logs.flatMap(({ peer, lines }, index) => {
    const done = lines.flatMap((line) =>
      line.kind === 'span'
        ? [{ peer, kind: line.what, start: seconds(index, line.start), end: seconds(index, line.t) }]
        : []
    )
    if (isWhole(lines)) return done
    const last = seconds(index, lines[lines.length - 1].t)
    const starts = logs.flatMap((log, other) => (log.peer === peer ? [seconds(other, log.lines[0].t)] : []))
    const back = Math.min(end, ...starts.filter((start) => start > last))
    return back > last ? [...done, { peer, kind: 'gone', start: last, end: back }] : done
  })
}

/** What happened to peers, ordered by time. */
export function marksOf(logs: readonly EventLog[], seconds: Seconds): readonly Mark[] {
  const marks = logs.flatMap(({ peer, lines }, index) => {
    const last = lines[lines.length - 1]
    const lost = isWhole(lines)
      ? []
      : [
          {
            peer,
            at: seconds(index, last.t),
            text: `the log of ${peer} ends here: its process was killed, or its machine failed`,
            isFailure: true
          }
        ]
    const events = lines.flatMap((line): Mark[] => {
      const found = textOf(peer, line)
      return found === undefined ? [] : [{ peer, at: seconds(index, line.t), ...found }]
    })
    return [...events, ...lost]
  })
  return [...marks].sort((left, right) => left.at - right.at).slice(0, maxMarks)
}

function textOf(peer: string, line: EventLine): Pick<Mark, 'text' | 'isFailure'> | undefined {
  switch (line.kind) {
    case 'membership':
      return { text: line.text, isFailure: line.state !== 'healthy' && line.state !== 'starting' }
    case 'neighbour': {
      const isFailure = line.state === 'silent' || line.state === 'refused'
      const reason = line.reason === undefined ? '' : `: ${line.reason}`
      return isFailure
        ? { text: `${peer}: the link to ${line.neighbour} is ${line.state}${reason}`, isFailure }
        : undefined
    }
    case 'epoch': {
      const lost = line.lost.length === 0 ? '' : `, without ${shortList(line.lost)}`
      const joined = line.joined.length === 0 ? '' : `, with ${shortList(line.joined)}`
      return { text: `${peer}: epoch ${line.epoch}${lost}${joined}`, isFailure: line.lost.length > 0 }
    }
    case 'outlier':
      return { text: `${peer}: ${line.neighbour} is far from its neighbours`, isFailure: true }
    case 'dropped':
      return { text: `${peer}: ${line.lines} lines of its log are missing here`, isFailure: false }
    case 'end':
      return line.reason === undefined ? undefined : { text: `${peer} ends: ${line.reason}`, isFailure: true }
    default:
      return undefined
  }
}

const isWhole = (lines: readonly EventLine[]): boolean => lines[lines.length - 1].kind === 'end'
