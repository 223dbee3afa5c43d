/** Runs that last as long as a test needs. */
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../repository.js'

const pacedOf = (algorithm: string, pause: number) => `import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { algorithms } from '@murmuration/algorithms'
const given = algorithms.find(({ name }) => name === '${algorithm}')
const finish = new URL('./finish', import.meta.url)
export const paced = {
  ...given,
  name: 'paced',
  title: given.title + ', paced',
  round: async (node, state, k) => {
    if (!existsSync(finish)) await setTimeout(${pause})
    return given.round(node, state, k)
  }
}
`

/**
 * Writes an algorithm whose rounds take a while until {@link hurry} is called, so that no run ends before its test has
 * done what it needs.
 *
 * @param algorithm - by its name; D-PSGD when absent
 * @param pause - by how many milliseconds a round is longer
 * @param options - the record's, as in a file: `, period: 10`
 * @returns the line of a training file in `folder`
 */
export async function paced(folder: string, algorithm = 'dpsgd', pause = 200, options = ''): Promise<string> {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'paced.mjs'), pacedOf(algorithm, pause))
  return `algorithm: { module: ./paced.mjs${options} }\n`
}

/** From now on the rounds of runs in this folder take no longer than they need. */
export async function hurry(folder: string): Promise<void> {
  await writeFile(join(folder, 'finish'), '')
}
