import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { InputError, messageOf } from '@murmuration/core'

/** The folder for results. */
export interface ResultsFolder {
  readonly directory: string
  /** Removes the folder if it was created here and is empty. */
  removeIfEmpty(): Promise<void>
}

/** The file that the results are named after, and the folder that `--out` names. */
interface ResultsPlace {
  readonly path: string
  readonly out?: string
}

/** Creates the folder for results, before anything is computed. Existing files are not overwritten. */
export async function resultsFolder({ path, out }: ResultsPlace): Promise<ResultsFolder> {
  try {
    const directory = out ?? (await newFolder(basename(path, extname(path))))
    const created = out === undefined ? directory : await makeFolder(out)
    if ((await readdir(directory)).length > 0)
      throw new InputError('the folder is not empty; name another folder, or empty this one')
    return {
      directory,
      removeIfEmpty: async () => {
        if (created !== undefined) await rmdir(directory).catch(() => {})
      }
    }
  } catch (error) {
    throw new InputError(`--out ${out ?? 'results'}: ${messageOf(error)}`)
  }
}

/**
 * Creates a folder and its parents. The result is undefined if the folder existed. Each is created separately, since
 * `mkdir` of Node.js with `recursive` never returns if the system reports an existing parent as missing, as in /proc.
 */
async function makeFolder(path: string): Promise<true | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return undefined
  if (found !== undefined) throw new InputError(`${path} is a file; name a folder`)
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  await mkdir(path)
  return true
}

/**
 * The first of `results/NAME`, `results/NAME-2`, … that does not exist. Two commands that start at the same time get
 * different ones.
 */
async function newFolder(name: string): Promise<string> {
  await mkdir('results', { recursive: true })
  for (let number = 1; ; number++) {
    const directory = join('results', number === 1 ? name : `${name}-${number}`)
    try {
      await mkdir(directory)
      return directory
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
