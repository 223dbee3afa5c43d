/** The notes by which the members of an epoch tell each other their parts of the duality gap. */
import { type GapPart, parseJson, type PeerName, type StepReport } from '@murmuration/core'
import { GapParts } from '../driver/gap.js'
import type { Epoch } from './epoch.js'

/** How often parts are told in a run, as often as models are sketched. */
const partsInRun = 40

/** The first word of a note. */
const word = 'gap '

/** Whether a note is a part of the gap. */
export function isGapNote(note: string): boolean {
  return note.startsWith(word)
}

/** What this peer knows of the duality gap. */
export class GapNotes {
  readonly #self: PeerName
  readonly #every: number
  readonly #contraction: (epoch: Epoch) => number
  readonly #tell: (to: PeerName, note: string) => void
  #epoch = 0
  #parts = new GapParts()

  /** @param contraction - of the graph of an epoch's workers; see gapOf */
  constructor(
    self: PeerName,
    rounds: number,
    contraction: (epoch: Epoch) => number,
    tell: (to: PeerName, note: string) => void
  ) {
    this.#self = self
    this.#contraction = contraction
    this.#every = Math.max(1, Math.floor(rounds / partsInRun))
    this.#tell = tell
  }

  /** After a round: tells the others this peer's part, where it is time. Returns the gap, if it is known. */
  after({ round, phase, gapPart: part }: StepReport, epoch: Epoch): number | undefined {
    const { number, members } = epoch
    if (number !== this.#epoch) this.#parts = new GapParts()
    this.#epoch = number
    const names = members.map(({ name }) => name)
    if (part !== undefined && (phase === 'average' || round % this.#every === 0)) {
      this.#parts.add(this.#self, round, part)
      const note = `${word}${JSON.stringify([number, round, part.value, part.slope, part.curvature, part.spread])}`
      for (const name of names) if (name !== this.#self) this.#tell(name, note)
    }
    return this.#parts.gap(names, this.#contraction(epoch))
  }

  /** Takes in the part of another. Returns the sender's fault in words, if any. Other epochs' parts are dropped. */
  take(from: PeerName, note: string): string | undefined {
    const found = parseJson(note.slice(word.length))
    const numbers = Array.isArray(found) ? found.filter((each) => Number.isFinite(each)) : []
    const [epoch, round, value, slope, curvature, spread] = numbers as number[]
    const areCounts = [epoch, round].every((each) => Number.isSafeInteger(each) && each >= 0)
    const isRight = numbers.length === 6 && areCounts && slope >= 0 && curvature >= 0 && spread >= 0
    if (!isRight || (found as unknown[]).length !== 6) return 'a malformed part of the duality gap'
    if (epoch === this.#epoch) this.#parts.add(from, round, { value, slope, curvature, spread } satisfies GapPart)
    return undefined
  }
}
