/** What the peers have measured after some rounds, as far as one of them has heard; and how that travels. */
import type { State } from '../record/record.js'
import type { Figures } from './stop-rule.js'

/** The figures of so many peers fit into a message, beside the round and which peers they are of. */
const peersPerMessage = 6
/** Of so many evaluations at most, figures are awaited at the same time: with more, a peer would lie. */
const maxEvaluations = 8

/** By place in the list of workers. */
type FiguresByPlace = ReadonlyMap<number, Figures>

/** Figures of one evaluation. */
interface HeardFigures {
  readonly figures: Map<number, Figures>
  /** The groups of peers of which there is news for the neighbours. */
  readonly news: Set<number>
}

/** The figures of evaluations of which nothing has been concluded yet. */
export class StopFigures {
  /** By the round of the run after which was evaluated. */
  readonly #all = new Map<number, HeardFigures>()

  /** Takes the figures of one peer; the first ones of it count. */
  take(evaluated: number, place: number, figures: Figures): void {
    const heard = this.#all.get(evaluated) ?? { figures: new Map(), news: new Set() }
    if (heard.figures.has(place) || (this.#all.size >= maxEvaluations && !this.#all.has(evaluated))) return
    this.#all.set(evaluated, heard)
    heard.figures.set(place, figures)
    heard.news.add(Math.floor(place / peersPerMessage))
  }

  /** Ends those evaluations that are due, and returns their figures, the earliest first. */
  end(isDue: (evaluated: number) => boolean): readonly (readonly [evaluated: number, figures: readonly Figures[]])[] {
    const ended = [...this.#all].filter(([evaluated]) => isDue(evaluated)).sort(([left], [right]) => left - right)
    for (const [evaluated] of ended) this.#all.delete(evaluated)
    return ended.map(([evaluated, { figures }]) => [evaluated, [...figures.values()]] as const)
  }

  /** Hands all news to `tell`, which returns whether they are on their way; others are told again. */
  tell(tell: (group: number, numbers: readonly number[]) => boolean): void {
    for (const [evaluated, { figures, news }] of this.#all)
      for (const group of news) if (tell(group, numbersOf(evaluated, group, figures))) news.delete(group)
  }

  saved(): State {
    const all = [...this.#all].map(([evaluated, { figures }]) => [
      String(evaluated),
      Object.fromEntries([...figures].map(([place, { loss, accuracy }]) => [String(place), { loss, accuracy }]))
    ])
    return Object.fromEntries(all) as State
  }

  restore(saved: State): void {
    for (const [evaluated, all] of Object.entries(saved))
      for (const [place, each] of Object.entries(all as State))
        this.take(Number(evaluated), Number(place), each as unknown as Figures)
  }
}

/** The figures of a group of peers: the round, which of the group they are of, and the loss and accuracy of each. */
function numbersOf(evaluated: number, group: number, figures: FiguresByPlace): readonly number[] {
  const numbers = [evaluated, 0]
  for (let place = 0; place < peersPerMessage; place++) {
    const each = figures.get(group * peersPerMessage + place)
    if (each === undefined) continue
    numbers[1] += 2 ** place
    numbers.push(each.loss, each.accuracy)
  }
  return numbers
}

/**
 * The figures in a message about a group of peers, by place; undefined for what no peer sends.
 *
 * @param workers - how many peers train
 */
export function figuresIn(
  group: number,
  [, mask, ...values]: readonly number[],
  workers: number
): FiguresByPlace | undefined {
  const places = Array.from({ length: peersPerMessage }, (_, place) => place).filter((place) => (mask >> place) & 1)
  const isMask = Number.isInteger(mask) && mask > 0 && mask < 2 ** peersPerMessage
  const last = group * peersPerMessage + (places.at(-1) ?? 0)
  if (!isMask || values.length !== 2 * places.length || last >= workers) return undefined
  const all = places.map((place, index) => {
    const [loss, accuracy] = values.slice(2 * index)
    return [group * peersPerMessage + place, { loss, accuracy }] as const
  })
  const areRight = all.every(([, { loss, accuracy }]) => Number.isFinite(loss) && accuracy >= 0 && accuracy <= 1)
  return areRight ? new Map(all) : undefined
}
