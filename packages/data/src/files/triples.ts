import { InputError } from '@murmuration/core'
import { join } from '#data/files/disk.js'
import { NumberList } from './number-list.js'
import { NumberedNames } from './numbered-names.js'
import { forEachLine } from './read-text.js'

/** Facts of a knowledge graph, as numbers of entities and relations; one element per triple. */
export interface Triples {
  readonly head: Uint32Array
  readonly relation: Uint32Array
  readonly tail: Uint32Array
}

/** A knowledge graph, whose triples are divided into three parts. */
export interface SplitTriples {
  readonly entities: number
  readonly relations: number
  readonly train: Triples
  readonly valid: Triples
  readonly test: Triples
}

const fields = ['head', 'relation', 'tail']

/** The maximum number of triples of a graph, 2^25. */
const maxTriples = 2 ** 25

/**
 * A folder with `train.txt`, `valid.txt` and `test.txt` in the format of FB15k (Bordes et al., NIPS 2013): one triple
 * per line, its head, relation and tail separated by tabs. Entities and relations are numbered in the order of their
 * first occurrence.
 *
 * @throws InputError that names file, line and column
 */
export async function readGraph(folder: string): Promise<SplitTriples> {
  const reader = new TripleReader()
  const read = (file: string) => reader.read(join(folder, file))
  const train = await read('train.txt')
  const valid = await read('valid.txt')
  const test = await read('test.txt')
  return { entities: reader.entities.count, relations: reader.relations.count, train, valid, test }
}

/** Reads the files of one graph. */
class TripleReader {
  readonly entities = new NumberedNames('entities')
  readonly relations = new NumberedNames('relations')
  #count = 0

  async read(path: string): Promise<Triples> {
    const columns = fields.map(() => new NumberList(Uint32Array))
    await forEachLine(path, 'train.txt, valid.txt and test.txt in a folder, as FB15k has', (line, number) => {
      const cells = line.split('\t')
      const column = wrongColumn(cells)
      if (column !== undefined)
        throw new InputError(
          `${path}: line ${number}, column ${column}: found "${line.slice(0, 80).replaceAll('\t', '→')}", expected head, relation and tail with a tab (→) between them`
        )
      if (this.#count++ === maxTriples)
        throw new InputError(
          `${path}: more than ${maxTriples} triples, the most that are read; use a part of the lines`
        )
      for (const [index, cell] of cells.entries()) {
        const names = fields[index] === 'relation' ? this.relations : this.entities
        columns[index].push(names.numberOf(cell.normalize(), path))
      }
    })
    const [head, relation, tail] = columns.map(({ values }) => values)
    return { head, relation, tail }
  }
}

/**
 * In a line that is no triple: the column, from 1 on, of an empty cell, of a superfluous one, or of the end of a line
 * that has too few.
 */
function wrongColumn(cells: readonly string[]): number | undefined {
  let column = 1
  for (const [index, cell] of cells.entries()) {
    if (index === fields.length || cell.trim() === '') return column
    column += cell.length + 1
  }
  return cells.length < fields.length ? column - 1 : undefined
}
