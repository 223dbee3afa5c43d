import type { EventLine } from './lines.js'
import type { EventLog } from './read.js'

/** A vector that one process handed over and another took, each time by the process's own clock, in milliseconds. */
export interface LoggedMessage {
  readonly from: number
  readonly to: number
  readonly sent: number
  readonly taken: number
  readonly bytes: number
}

type SentLine = Extract<EventLine, { readonly kind: 'sent' }>

/**
 * The vectors that are in the logs of both ends; `from` and `to` are indices in `logs`. The n-th time that an id is
 * taken on a link belongs to the n-th time that it was sent; if a peer had several processes, in the order of their
 * logs.
 */
export function messagesIn(logs: readonly EventLog[]): readonly LoggedMessage[] {
  const waiting = new Map<string, { readonly index: number; readonly line: SentLine }[]>()
  for (const [index, { peer, lines }] of logs.entries())
    for (const line of lines)
      if (line.kind === 'sent') {
        const key = `${peer} ${line.to} ${line.id}`
        const queue = waiting.get(key) ?? []
        queue.push({ index, line })
        waiting.set(key, queue)
      }
  return logs.flatMap(({ peer, lines }, to) =>
    lines.flatMap((line): LoggedMessage[] => {
      if (line.kind !== 'taken') return []
      const sent = waiting.get(`${line.from} ${peer} ${line.id}`)?.shift()
      if (sent === undefined) return []
      return [{ from: sent.index, to, sent: sent.line.t, taken: line.t, bytes: sent.line.bytes }]
    })
  )
}
