import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { readText } from './read-text.js'

/** Facts of a knowledge graph, as numbers of entities and relations; one element per triple. */
export interface Triples {
  readonly head: Uint32Array
  readonly relation: Uint32Array
  readonly tail: Uint32Array
}

/** A knowledge graph, whose triples are divided into three parts. */
export interface Graph {
  readonly entities: number
  readonly relations: number
  readonly train: Triples
  readonly valid: Triples
  readonly test: Triples
}

const fields = ['head', 'relation', 'tail']

/**
 * A folder with `train.txt`, `valid.txt` and `test.txt` in the format of FB15k (Bordes et al., NIPS 2013): one triple per line, its head, relation
 * and tail separated by tabs. Entities and relations are numbered in the order of their first occurrence.
 *
 * @throws InputError that names file, line and column
 */
export async function readGraph(folder: string): Promise<Graph> {
  const numbers = { entities: new Map<string, number>(), relations: new Map<string, number>() }
  const read = async (file: string) => {
    const path = join(folder, file)
    return parseTriples(
      await readText(path, 'train.txt, valid.txt and test.txt in a folder, as FB15k has'),
      path,
      numbers
    )
  }
  const [train, valid, test] = [await read('train.txt'), await read('valid.txt'), await read('test.txt')]
  return { entities: numbers.entities.size, relations: numbers.relations.size, train, valid, test }
}

/**
 * As {@link readGraph}, for the text of one file.
 *
 * @param numbers - the numbers so far; new names are added
 */
function parseTriples(
  text: string,
  name: string,
  numbers: { readonly entities: Map<string, number>; readonly relations: Map<string, number> }
): Triples {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const columns = [new Uint32Array(lines.length), new Uint32Array(lines.length), new Uint32Array(lines.length)]
  for (const [row, line] of lines.entries()) {
    const cells = line.split('\t')
    const column = wrongColumn(cells)
    if (column !== undefined)
      throw new InputError(
        `${name}: line ${row + 1}, column ${column}: found "${line.slice(0, 80).replaceAll('\t', '→')}", expected head, relation and tail with a tab (→) between them`
      )
    for (const [index, cell] of cells.entries())
      columns[index][row] = numberOf(cell, fields[index] === 'relation' ? numbers.relations : numbers.entities)
  }
  const [head, relation, tail] = columns
  return { head, relation, tail }
}

/** In a line that is no triple: the column, from 1 on, of an empty cell, of a superfluous one, or of the end of a line that has too few. */
function wrongColumn(cells: readonly string[]): number | undefined {
  let column = 1
  for (const [index, cell] of cells.entries()) {
    if (index === fields.length || cell.trim() === '') return column
    column += cell.length + 1
  }
  return cells.length < fields.length ? column - 1 : undefined
}

function numberOf(name: string, numbers: Map<string, number>): number {
  const number = numbers.get(name)
  if (number !== undefined) return number
  numbers.set(name, numbers.size)
  return numbers.size - 1
}
