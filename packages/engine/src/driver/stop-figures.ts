/** What the peers have measured after some rounds, as far as one of them has heard; and how that travels. */
import type { State } from '../record/record.js'
import type { FigureName, Figures } from './stop-rule.js'

/** How many figures fit into a message, beside the round and which peers they are of. */
const figuresPerMessage = 12
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
  readonly names: readonly FigureName[]
  /** By the round of the run after which was evaluated. */
  readonly #all = new Map<number, HeardFigures>()

  /** @param names - of the figures that each peer tells */
  constructor(names: readonly FigureName[]) {
    this.names = names
  }

  /** Takes the figures of one peer; the first ones of it count. */
  take(evaluated: number, place: number, figures: Figures): void {
    const heard = this.#all.get(evaluated) ?? { figures: new Map(), news: new Set() }
    if (heard.figures.has(place) || (this.#all.size >= maxEvaluations && !this.#all.has(evaluated))) return
    this.#all.set(evaluated, heard)
    heard.figures.set(place, figures)
    heard.news.add(Math.floor(place / peersPerMessage(this.names)))
  }

  /** Ends those evaluations that are due, and returns their figures by place, the earliest evaluation first. */
  end(isDue: (evaluated: number) => boolean): readonly (readonly [evaluated: number, figures: readonly Figures[]])[] {
    const ended = [...this.#all].filter(([evaluated]) => isDue(evaluated)).sort(([left], [right]) => left - right)
    for (const [evaluated] of ended) this.#all.delete(evaluated)
    return ended.map(([evaluated, { figures }]) => {
      const byPlace = [...figures].sort(([left], [right]) => left - right)
      return [evaluated, byPlace.map(([, each]) => each)] as const
    })
  }

  /** Hands all news to `tell`, which returns whether they are on their way; others are told again. */
  tell(tell: (group: number, numbers: readonly number[]) => boolean): void {
    for (const [evaluated, { figures, news }] of this.#all)
      for (const group of news) if (tell(group, numbersOf(evaluated, group, figures, this.names))) news.delete(group)
  }

  saved(): State {
    const all = [...this.#all].map(([evaluated, { figures }]) => [
      String(evaluated),
      Object.fromEntries([...figures].map(([place, each]) => [String(place), { ...each }]))
    ])
    return Object.fromEntries(all) as State
  }

  restore(saved: State): void {
    for (const [evaluated, all] of Object.entries(saved))
      for (const [place, each] of Object.entries(all as State))
        this.take(Number(evaluated), Number(place), each as Figures)
  }
}

function peersPerMessage({ length }: readonly FigureName[]): number {
  return Math.floor(figuresPerMessage / length)
}

/** The figures of a group of peers: the round, which of the group they are of, and those of each. */
function numbersOf(
  evaluated: number,
  group: number,
  figures: FiguresByPlace,
  names: readonly FigureName[]
): readonly number[] {
  const numbers = [evaluated, 0]
  const count = peersPerMessage(names)
  for (let place = 0; place < count; place++) {
    const each = figures.get(group * count + place)
    if (each === undefined) continue
    numbers[1] += 2 ** place
    numbers.push(...names.map((name) => each[name] ?? 0))
  }
  return numbers
}

const { MAX_VALUE } = Number

/** The least and the greatest of each figure. */
const limits: Readonly<Record<FigureName, readonly [number, number]>> = {
  loss: [-MAX_VALUE, MAX_VALUE],
  accuracy: [0, 1],
  value: [-MAX_VALUE, MAX_VALUE],
  slope: [0, MAX_VALUE],
  curvature: [0, MAX_VALUE],
  spread: [0, MAX_VALUE]
}

/**
 * The figures in a message about a group of peers, by place; undefined for what no peer sends.
 *
 * @param workers - how many peers train
 * @param names - of the figures of each
 */
export function figuresIn(
  group: number,
  [, mask, ...values]: readonly number[],
  workers: number,
  names: readonly FigureName[]
): FiguresByPlace | undefined {
  const count = peersPerMessage(names)
  const places = Array.from({ length: count }, (_, place) => place).filter((place) => (mask >> place) & 1)
  const isMask = Number.isInteger(mask) && mask > 0 && mask < 2 ** count
  const last = group * count + (places.at(-1) ?? 0)
  if (!isMask || values.length !== names.length * places.length || last >= workers) return undefined
  const areRight = values.every((value, index) => {
    const [least, most] = limits[names[index % names.length]]
    return value >= least && value <= most
  })
  const figuresAt = (start: number) => Object.fromEntries(names.map((name, index) => [name, values[start + index]]))
  const all = places.map((place, index) => [group * count + place, figuresAt(names.length * index)] as const)
  return areRight ? new Map(all) : undefined
}
