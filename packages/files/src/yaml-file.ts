import { InputError, messageOf, type Path, pathText, printable, type Problem } from '@murmuration/core'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap
} from 'yaml'
import type * as z from 'zod'
import { validate } from './schema-problems.js'

/** A YAML file that its schema accepts. */
export interface YamlFile<Value> {
  readonly value: Value
  /** The content of the text, before the schema: mappings have their keys in the order of the file. */
  readonly plain: unknown
  /**
   * An error with one line `file:line:column: …` for each problem, in the order of the file. For problems that a schema
   * cannot express, such as a name that does not exist in another part of the file.
   */
  errorOf(problems: readonly Problem[]): InputError
}

/**
 * Reads YAML and validates it. Throws an {@link InputError} that lists all problems, one line `file:line:column: …`
 * each: what was found, what was expected, and the nearest valid word for a typo.
 */
export function parseYamlFile<Schema extends z.ZodType>(
  text: string,
  fileName: string,
  schema: Schema
): YamlFile<z.output<Schema>> {
  checkSize(text, fileName)
  const lines = new LineCounter()
  // The parser compares each key of a mapping with all others.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const invalid = document.errors.map(({ pos, message }) => ({ offset: pos[0], message }))
  const found = [...invalid, ...repeatedKeys(document)]
  if (found.length > 0) {
    const problems = found.map(({ offset, message }) => ({ offset, message: `found invalid YAML: ${message}` }))
    throw errorAt(fileName, lines, problems)
  }
  const errorOf = (problems: readonly Problem[]) => {
    const finder = new PlaceFinder(document)
    const found = problems.map((problem) => ({ offset: finder.offsetOf(problem), message: lineOf(problem) }))
    return errorAt(fileName, lines, found)
  }
  const plain = plainValue(document, fileName)
  const result = validate(schema, plain)
  if (!result.ok) throw errorOf(result.problems)
  return { value: result.value, plain, errorOf }
}

/**
 * The maximum commas, colons and line ends of a file: each may make a value, and the parser takes a kilobyte for it.
 */
const maxMarks = 500_000

function checkSize(text: string, fileName: string): void {
  let marks = 0
  for (const _ of text.matchAll(/[,:\n]/g))
    if (++marks > maxMarks)
      throw new InputError(
        `${fileName}: found more than ${maxMarks} commas, colons and lines, expected a smaller file; describe a large graph by its kind`
      )
}

/** At most so many problems are reported, for a file in which everything is wrong, such as a binary one. */
const maxProblems = 20
const maxMessage = 1000

interface Located {
  readonly offset: number
  readonly message: string
}

function errorAt(fileName: string, lines: LineCounter, found: readonly Located[]): InputError {
  const inOrder = [...found].sort((left, right) => left.offset - right.offset)
  const messages = inOrder.slice(0, maxProblems).map(({ offset, message }) => {
    const short = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message
    // A quoted text is one line of the message.
    return `${placeText(fileName, lines, offset)}: ${printable(short)}`
  })
  if (inOrder.length > maxProblems) messages.push(`${fileName}: and ${inOrder.length - maxProblems} more problems`)
  return new InputError(messages.join('\n'))
}

/** A place for each key that its mapping has already. */
function repeatedKeys(document: Document): readonly Located[] {
  const found: Located[] = []
  visit(document, {
    Map: (_, { items }) => {
      const earlier = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (earlier.has(key.value)) found.push({ offset: startOf(key) ?? 0, message: 'Map keys must be unique' })
        earlier.add(key.value)
      }
    }
  })
  return found
}

/** An empty file is an empty mapping. */
function plainValue(document: Document, fileName: string): unknown {
  try {
    return document.contents === null ? {} : document.toJS()
  } catch (error) {
    throw new InputError(`${fileName}: found invalid YAML: ${messageOf(error)}`)
  }
}

function placeText(fileName: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset)
  return `${fileName}:${Math.max(1, line)}:${Math.max(1, col)}`
}

function lineOf({ path, at, message }: Problem): string {
  const where = pathText(at === 'key' ? path.slice(0, -1) : path)
  return where === '' ? message : `${where}: ${message}`
}

/** Finds places in a document. Remembers the keys of mappings, since a mapping may have many with problems. */
class PlaceFinder {
  readonly #document: Document
  readonly #pairsOf = new Map<YAMLMap, ReadonlyMap<string, Pair>>()

  constructor(document: Document) {
    this.#document = document
  }

  /**
   * Where the value (or key) at the problem's path begins; if it does not exist, the nearest existing one around it.
   */
  offsetOf({ path, at }: Problem): number {
    let node: unknown = this.#document.contents
    let offset = startOf(node) ?? 0
    for (const [depth, step] of path.entries()) {
      const next = this.#child(node, step)
      if (next === undefined) break
      const isLast = depth === path.length - 1
      offset = (at === 'key' && isLast ? next.key : (startOf(next.value) ?? next.key)) ?? offset
      node = next.value
    }
    return offset
  }

  #child(node: unknown, step: Path[number]) {
    const parent = isAlias(node) ? node.resolve(this.#document) : node
    if (isSeq(parent) && typeof step === 'number') {
      return step < parent.items.length ? { key: undefined, value: parent.items[step] } : undefined
    }
    if (!isMap(parent)) return undefined
    const pair = this.#pairs(parent).get(String(step))
    return pair === undefined ? undefined : { key: startOf(pair.key), value: pair.value }
  }

  /** The pairs of a mapping by their keys, the first of each. */
  #pairs(parent: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#pairsOf.get(parent)
    if (known !== undefined) return known
    const pairs = new Map<string, Pair>()
    for (const pair of parent.items)
      if (isScalar(pair.key) && !pairs.has(String(pair.key.value))) pairs.set(String(pair.key.value), pair)
    this.#pairsOf.set(parent, pairs)
    return pairs
  }
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}
