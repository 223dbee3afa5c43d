import type { Milliseconds } from '@murmuration/core'
import type { SharedLines } from './shared-lines.js'

/** Bytes that one peer sends to another once it has received what it needs. */
export interface PlannedTransfer {
  readonly from: number
  readonly to: number
  readonly bytes: number
  /** The transfers that must have arrived before, by index. */
  readonly needs: readonly number[]
}

/** A connection between two peers, which sends one transfer after the other. */
interface TransferQueue {
  readonly lines: readonly number[]
  readonly latency: Milliseconds
  /** Transfers that are to be sent, and those that are in flight, each with the time of its arrival. */
  readonly waiting: number[]
  readonly flying: { readonly transfer: number; readonly time: Milliseconds }[]
  /** Bytes of the first waiting transfer that are not sent yet. */
  left: number
  /** Bytes per millisecond. */
  rate: number
}

/**
 * When all of these transfers have arrived, if lines are shared max-min fairly (Bertsekas & Gallager, Data Networks,
 * section 6.5.2) by all connections with something to send.
 *
 * @param transfers - in the order in which a connection sends what it may send at the same time
 */
export function timeOfTransfers(
  lines: SharedLines,
  latency: (from: number, to: number) => Milliseconds,
  transfers: readonly PlannedTransfer[]
): Milliseconds {
  const connections = new Map<number, TransferQueue>()
  const connectionOf = ({ from, to }: PlannedTransfer) => {
    const key = from * lines.peers.length + to
    const known = connections.get(key)
    if (known !== undefined) return known
    const made = {
      lines: lines.uses[from][to] ?? [],
      latency: latency(from, to),
      waiting: [],
      flying: [],
      left: 0,
      rate: 0
    }
    connections.set(key, made)
    return made
  }
  const ways = transfers.map(connectionOf)
  const lacking = transfers.map(({ needs }) => needs.length)
  const neededBy = transfers.map((): number[] => [])
  for (const [index, { needs }] of transfers.entries()) for (const need of needs) neededBy[need].push(index)

  const all = [...connections.values()]
  let now = 0
  let isChanged = true
  const send = (transfer: number) => {
    const { waiting } = ways[transfer]
    if (waiting.push(transfer) > 1) return
    ways[transfer].left = transfers[transfer].bytes
    isChanged = true
  }
  for (const [index, count] of lacking.entries()) if (count === 0) send(index)
  for (;;) {
    if (isChanged) shareLines(lines.rates, all)
    isChanged = false
    const pause = Math.min(...all.map((connection) => nextEvent(connection, now)))
    if (pause === Infinity) return now
    now += pause
    for (const connection of all) {
      if (connection.waiting.length > 0 && advance(connection, pause, now, transfers)) isChanged = true
    }
    for (const connection of all) {
      while (connection.flying.length > 0 && connection.flying[0].time <= now * (1 + rounding)) {
        for (const next of neededBy[connection.flying[0].transfer]) if (--lacking[next] === 0) send(next)
        connection.flying.shift()
      }
    }
  }
}

const rounding = 1e-12

function nextEvent({ waiting, flying, left, rate }: TransferQueue, now: Milliseconds): Milliseconds {
  const sent = waiting.length > 0 ? left / rate : Infinity
  return Math.max(0, Math.min(sent, flying.length > 0 ? flying[0].time - now : Infinity))
}

/** Sends for as long as `pause`. Returns whether there is nothing left to send. */
function advance(
  connection: TransferQueue,
  pause: Milliseconds,
  now: Milliseconds,
  transfers: readonly PlannedTransfer[]
): boolean {
  const { waiting, flying, rate, latency } = connection
  const isSent = connection.left / rate <= pause * (1 + rounding)
  if (!isSent) connection.left -= rate * pause
  else {
    flying.push({ transfer: waiting[0], time: now + latency })
    waiting.shift()
    if (waiting.length > 0) connection.left = transfers[waiting[0]].bytes
  }
  return isSent && waiting.length === 0
}

/** Sets the rates of all connections with something to send. */
function shareLines(rates: readonly number[], connections: readonly TransferQueue[]): void {
  const open = new Set(connections.filter(({ waiting }) => waiting.length > 0))
  const left = rates.map((rate) => rate / 8000)
  const counts = new Int32Array(rates.length)
  for (const connection of open) {
    // Without a limit; finite, so that no time times this rate is not a number.
    connection.rate = 1e300
    for (const line of connection.lines) counts[line]++
  }
  for (;;) {
    let least = Infinity
    let tightest = -1
    for (const [line, count] of counts.entries()) {
      if (count === 0 || left[line] / count >= least) continue
      least = left[line] / count
      tightest = line
    }
    if (tightest < 0) return
    for (const connection of open) {
      if (!connection.lines.includes(tightest)) continue
      connection.rate = least
      open.delete(connection)
      for (const line of connection.lines) {
        counts[line]--
        left[line] -= least
      }
    }
  }
}
