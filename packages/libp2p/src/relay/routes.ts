import type { ViaRelay } from './bar.js'

/** The two directions of a link to a neighbour, named from here. */
export type Direction = 'outgoing' | 'incoming'

/** By what relays the two directions of a link go. */
export class Routes {
  readonly #routes = new Map<Direction, ViaRelay>()

  /** To be called before a direction is up. */
  set(direction: Direction, via: ViaRelay | undefined): void {
    if (via === undefined) this.#routes.delete(direction)
    else this.#routes.set(direction, via)
  }

  /** Why no vectors may go to the neighbour or come from it; `undefined` where they may. */
  get bar(): string | undefined {
    return [...this.#routes.values()].find(({ bar }) => bar !== undefined)?.bar
  }

  /** The address of a relay by which a direction goes, if one does. */
  get relay(): { readonly relay?: string } {
    const [via] = this.#routes.values()
    return via === undefined ? {} : { relay: via.relay }
  }
}
