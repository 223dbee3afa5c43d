import type { Message } from './vector.js'

/** What travels beside the fields of an exchanged message, when it is not what every message says that names none. */
export interface Terms {
  /** The weight that the sender offers; as the file says when absent. */
  readonly offer?: number | undefined
  /** The lives of the sender, and of the receiver as far as the sender knows. */
  readonly life: number
  readonly toLife: number
}

const usual: Terms = { life: 1, toLife: 1 }

/** Few messages have any, so a message does not carry a field for them. */
const known = new WeakMap<Message, Terms>()

export function termsOf(message: Message): Terms {
  return known.get(message) ?? usual
}

/** The weight that a message offers; undefined for the file's. */
export function offerOf(message: Message): number | undefined {
  return known.get(message)?.offer
}

export function setTerms(message: Message, terms: Terms): void {
  known.set(message, terms)
}

/** As numbers: none, the offer, or the offer (0 for none) and both lives. */
export function termNumbers({ offer, life, toLife }: Terms): readonly number[] {
  if (life !== 1 || toLife !== 1) return [offer ?? 0, life, toLife]
  return offer === undefined ? none : [offer]
}

/** The terms that {@link termNumbers} has written; undefined for what it does not write. */
export function readTerms(numbers: readonly number[]): Terms | undefined {
  const [offer = 0, life = 1, toLife = 1] = numbers
  const hasLives = numbers.length === 3
  if (numbers.length > 1 && !hasLives) return undefined
  if (!Number.isSafeInteger(life) || !Number.isSafeInteger(toLife) || life < 1 || toLife < 1) return undefined
  if (!(offer >= 0 && offer <= 1) || (numbers.length === 1 && offer === 0)) return undefined
  return { offer: offer === 0 ? undefined : offer, life, toLife }
}

const none: readonly number[] = []
