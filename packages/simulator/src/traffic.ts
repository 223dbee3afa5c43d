import type { PeerName } from '@murmuration/core'

/** An end of a link. */
interface LinkEnd {
  readonly machine: PeerName
  /** Bytes that it has sent to other machines and received from them. */
  carried: number
}

/** The traffic over links. What stays on a machine is not counted. */
export class SimulatedTraffic {
  /** Without notes. */
  messages = 0
  /** Including headers and notes. */
  bytes = 0
  payload = 0
  /** How many messages of each sender were rejected. */
  readonly rejected = new Map<PeerName, number>()

  reject(from: PeerName): void {
    this.rejected.set(from, (this.rejected.get(from) ?? 0) + 1)
  }

  count(from: LinkEnd, to: LinkEnd, bytes: number, payload: number): void {
    this.messages++
    this.payload += payload
    this.countNote(from, to, bytes)
  }

  /** A message that was counted is not sent. */
  uncount(from: LinkEnd, to: LinkEnd, bytes: number, payload: number): void {
    this.messages--
    this.payload -= payload
    this.countNote(from, to, -bytes)
  }

  countNote(from: LinkEnd, to: LinkEnd, bytes: number): void {
    this.bytes += bytes
    from.carried += bytes
    to.carried += bytes
  }
}

/** The machine that sent and received the most, all its endpoints together. */
export function busiestOf(endpoints: Iterable<LinkEnd>): { readonly name: PeerName; readonly bytes: number } {
  const machines = new Map<PeerName, number>()
  for (const { machine, carried } of endpoints) machines.set(machine, (machines.get(machine) ?? 0) + carried)
  const [first, ...rest] = [...machines].map(([name, bytes]) => ({ name, bytes }))
  return rest.reduce((most, machine) => (machine.bytes > most.bytes ? machine : most), first)
}
