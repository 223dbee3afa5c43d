/**
 * Which of the three kinds of YAML files a file is, so that an error can name the kind when one was given in place of
 * another.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { InputError } from '@murmuration/core'

/** A topology file, a training file or a scenario. */
export type FileKind = 'topology' | 'training' | 'scenario'

const trainingKeys = [
  ['task', 'data', 'algorithm', 'rounds', 'rate', 'optimiser', 'batch', 'partition', 'seed', 'loss', 'test', 'codec'],
  ['backend', 'accumulate', 'weightDecay', 'clip', 'store', 'timeout', 'membership', 'consensusTolerance', 'epochs']
].flat()

/** How a file of each kind is used. */
const uses: Readonly<Record<FileKind, (path: string) => string>> = {
  topology: (path) => `use it as in "murmur swarm ${path} --train FILE" or "murmur sim ${path} --train FILE"`,
  training: (path) => `use it as in "murmur swarm TOPOLOGY --train ${path}" or "murmur sim TOPOLOGY --train ${path}"`,
  scenario: (path) => `use it as in "murmur sim ${path}" or "murmur swarm ${path} --method LABEL"`
}

/** Throws an InputError for a file that is clearly of another kind. The file's reader reports other problems. */
export function checkKind(path: string, expected: FileKind): void {
  if (isModel(path))
    throw new InputError(
      `${path}: found a model, expected a ${nameOf(expected)}; use it as in "murmur evaluate ${path}" or "murmur predict ${path} FILE"`
    )
  const found = kindOf(path)
  if (found === undefined || found === expected) return
  throw new InputError(`${path}: found a ${nameOf(found)}, expected a ${nameOf(expected)}; ${uses[found](path)}`)
}

const nameOf = (kind: FileKind) => (kind === 'scenario' ? kind : `${kind} file`)

/** Determined by the keys at the beginning of lines; undefined if they are not specific. */
export function kindOf(path: string): FileKind | undefined {
  if (!statSync(path).isFile()) return undefined
  const keys = new Set([...readFileSync(path, 'utf8').matchAll(/^(\w+):/gm)].map(([, key]) => key))
  if (keys.has('methods')) return 'scenario'
  if (keys.has('graph') || keys.has('peers')) return 'topology'
  const isOther = ['title', 'topology', 'links'].some((key) => keys.has(key))
  return !isOther && trainingKeys.some((key) => keys.has(key)) ? 'training' : undefined
}

/** Whether a file is in the safetensors format: the length of a header in 8 bytes, and the header, which is JSON. */
function isModel(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const start = Buffer.alloc(9)
  const file = openSync(path, 'r')
  try {
    return readSync(file, start) === 9 && start.readUInt16LE(6) === 0 && start[8] === 0x7b
  } finally {
    closeSync(file)
  }
}
