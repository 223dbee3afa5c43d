import { InputError, messageOf, type Path, pathText, printable, type Problem } from '@murmuration/core'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { z } from 'zod'
import { validate } from './schema-problems.js'

/** A YAML file that its schema accepts. */
export interface YamlFile<Value> {
  readonly value: Value
  /** The content of the text, before the schema: mappings have their keys in the order of the file. */
  readonly plain: unknown
  /**
   * An error with one line `file:line:column: …` for each problem, in the order of the file. For problems that a schema cannot
   * express, such as a name that does not exist in another part of the file.
   */
  errorOf(problems: readonly Problem[]): InputError
}

/**
 * Reads YAML and validates it. Throws an {@link InputError} that lists all problems, one line `file:line:column: …` each: what was
 * found, what was expected, and the nearest valid word for a typo.
 */
export function parseYamlFile<Schema extends z.ZodType>(
  text: string,
  fileName: string,
  schema: Schema
): YamlFile<z.output<Schema>> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    const found = document.errors.map(({ pos, message }) => ({
      offset: pos[0],
      message: `found invalid YAML: ${message}`
    }))
    throw errorAt(fileName, lines, found)
  }
  const errorOf = (problems: readonly Problem[]) => {
    const found = problems.map((problem) => ({ offset: offsetOf(document, problem), message: lineOf(problem) }))
    return errorAt(fileName, lines, found)
  }
  const plain = plainValue(document, fileName)
  const result = validate(schema, plain)
  if (!result.ok) throw errorOf(result.problems)
  return { value: result.value, plain, errorOf }
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

/** Where the value (or key) at the problem's path begins; if it does not exist, the nearest existing one around it. */
function offsetOf(document: Document, { path, at }: Problem): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const [depth, step] of path.entries()) {
    const next = child(document, node, step)
    if (next === undefined) break
    const isLast = depth === path.length - 1
    offset = (at === 'key' && isLast ? next.key : (startOf(next.value) ?? next.key)) ?? offset
    node = next.value
  }
  return offset
}

function child(document: Document, node: unknown, step: Path[number]) {
  const parent = isAlias(node) ? node.resolve(document) : node
  if (isSeq(parent) && typeof step === 'number') {
    return step < parent.items.length ? { key: undefined, value: parent.items[step] } : undefined
  }
  if (!isMap(parent)) return undefined
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
  return pair === undefined ? undefined : { key: startOf(pair.key), value: pair.value }
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}
