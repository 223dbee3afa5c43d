import type { ViaRelay } from './bar.js'

/** The two directions of a link to a neighbour, as seen from this peer. */
export type Direction = 'outgoing' | 'incoming'

/** The relays of the two directions of a link. */
export class Routes {
  readonly #routes = new Map<Direction, ViaRelay>()

  /** Sets the relay of a direction. To be called before the direction is up. */
  set(direction: Direction, via: ViaRelay | undefined): void {
    if (via === undefined) this.#routes.delete(direction)
    else this.#routes.set(direction, via)
  }

  /** Why vectors are not allowed on the link; `undefined` when they are. */
  get bar(): string | undefined {
    return [...this.#routes.values()].find(({ bar }) => bar !== undefined)?.bar
  }

  /** The address of the relay of a direction, if there is one. */
  get relay(): { readonly relay?: string } {
    const [via] = this.#routes.values()
    return via === undefined ? {} : { relay: via.relay }
  }
}
