import { log, type Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { Source } from '../source.js'
import { defaultContext, type TextReading, windows } from './text.js'

const determiners = ['a', 'the']
const adjectives = ['big', 'black', 'grey', 'little', 'quick', 'quiet', 'small', 'young']
const nouns = ['bird', 'cat', 'crow', 'dog', 'fox', 'hawk', 'hen', 'horse', 'lark', 'mouse', 'raven', 'wren']
const verbs = ['calls', 'fears', 'finds', 'follows', 'hears', 'likes', 'meets', 'sees', 'visits', 'watches']

/** All characters of sentences, in the order of their code points. */
export const sentenceAlphabet: readonly string[] = [
  ...new Set(['\n', '.', ' ', ...[determiners, adjectives, nouns, verbs].flat(2).join('')])
].sort()

/**
 * Sentences such as "the quick fox follows a hen.", one per line, drawn from the seed. All choices are uniform: the
 * determiners, whether there is an adjective and which, the nouns, the verb. Sentences are independent.
 *
 * @param count - how many samples of `context` characters there are; at least 1
 */
export function drawnSentences(count: number, seed: number, { context = defaultContext }: TextReading = {}): Source {
  const random = createRandom(seed, 'sentences')
  let text = ''
  while (text.length <= count * context) text += sentence(random)
  return windows(text.slice(0, count * context + 1), 'sentences', { context, like: { classNames: sentenceAlphabet } })
}

function sentence(random: Random): string {
  return `${nounPhrase(random)} ${one(verbs, random)} ${nounPhrase(random)}.\n`
}

function nounPhrase(random: Random): string {
  const isPlain = random.integer(2) === 0
  const words = isPlain ? [determiners, nouns] : [determiners, adjectives, nouns]
  return words.map((choices) => one(choices, random)).join(' ')
}

function one(choices: readonly string[], random: Random): string {
  return choices[random.integer(choices.length)]
}

/**
 * The smallest possible loss of a model that reads sentences from their beginning, in nats per character: the entropy
 * of a sentence over its mean length, since a sentence determines its choices. A context that begins within a word
 * gives less information.
 */
export function sentenceEntropy(): number {
  const length = (choices: readonly string[]) => choices.join('').length / choices.length
  const entropy =
    2 * (log(determiners.length) + log(2) + log(adjectives.length) / 2 + log(nouns.length)) + log(verbs.length)
  const phrase = length(determiners) + 1 + (length(adjectives) + 1) / 2 + length(nouns)
  return entropy / (2 * phrase + length(verbs) + ' '.length + ' .\n'.length)
}
