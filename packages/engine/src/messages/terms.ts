import type { Message } from '../vectors/vector.js'

/** Terms sent with the fields of an exchanged message, where they differ from the default. */
export interface Terms {
  /** The weight that the sender offers; the file's when absent. */
  readonly offer?: number | undefined
  /** The lives of the sender, and of the receiver as known to the sender. */
  readonly life: number
  readonly toLife: number
}

const usual: Terms = { life: 1, toLife: 1 }

/** Few messages have terms, so messages carry no field for them. */
const termsOfMessages = new WeakMap<Message, Terms>()

/** Whether any message has ever had terms: without this, lookups would cost time in every round. */
let hasAnyTerms = false

export function termsOf(message: Message): Terms {
  return hasAnyTerms ? (termsOfMessages.get(message) ?? usual) : usual
}

export function setTerms(message: Message, terms: Terms): void {
  hasAnyTerms = true
  termsOfMessages.set(message, terms)
}

/** No terms. */
export const noTerms: readonly number[] = []

/** As numbers: none, the offer, or the offer (0 for none) and both lives. */
export function termNumbers({ offer, life, toLife }: Terms): readonly number[] {
  if (life !== 1 || toLife !== 1) return [offer ?? 0, life, toLife]
  return offer === undefined ? noTerms : [offer]
}

/** The terms that {@link termNumbers} has encoded; undefined for anything else. */
export function readTerms(numbers: readonly number[]): Terms | undefined {
  const [offer = 0, life = 1, toLife = 1] = numbers
  const hasLives = numbers.length === 3
  if (numbers.length > 1 && !hasLives) return undefined
  if (!Number.isSafeInteger(life) || !Number.isSafeInteger(toLife) || life < 1 || toLife < 1) return undefined
  if (!(offer >= 0 && offer <= 1) || (numbers.length === 1 && offer === 0)) return undefined
  return { offer: offer === 0 ? undefined : offer, life, toLife }
}
