import type { PeerName } from '@murmuration/core'

/** What went over the links, and through whose lines. What stays on a machine is no traffic. */
export class Traffic {
  messages = 0
  /** Headers included. */
  bytes = 0
  payload = 0
  readonly #byMachine = new Map<PeerName, number>()

  count(from: PeerName, to: PeerName, bytes: number, payload: number, isRemote: boolean): void {
    if (!isRemote) return
    this.messages++
    this.bytes += bytes
    this.payload += payload
    this.#byMachine.set(from, (this.#byMachine.get(from) ?? 0) + bytes)
    this.#byMachine.set(to, (this.#byMachine.get(to) ?? 0) + bytes)
  }

  /** The machine that sent and received most; undefined when nothing was sent. */
  busiest(): { readonly name: PeerName; readonly bytes: number } | undefined {
    let most: { readonly name: PeerName; readonly bytes: number } | undefined
    for (const [name, bytes] of this.#byMachine) if (most === undefined || bytes > most.bytes) most = { name, bytes }
    return most
  }
}
