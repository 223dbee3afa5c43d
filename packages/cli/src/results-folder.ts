import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { InputError, messageOf } from '@murmuration/core'

/** The folder that results go to. */
export interface ResultsFolder {
  readonly directory: string
  /** Undoes the making, when nothing was put into it. */
  removeIfEmpty(): Promise<void>
}

/** What the results are of, and the folder that the command line names for them. */
interface ResultsPlace {
  readonly path: string
  readonly out?: string
}

/** Makes the folder for results, before anything is computed. Nothing that is there already is written over. */
export async function resultsFolder({ path, out }: ResultsPlace): Promise<ResultsFolder> {
  try {
    const directory = out ?? (await newFolder(basename(path, extname(path))))
    const made = out === undefined ? directory : await makeFolder(out)
    if ((await readdir(directory)).length > 0)
      throw new InputError('the folder is not empty; give another, or empty it')
    return {
      directory,
      removeIfEmpty: async () => {
        if (made !== undefined) await rmdir(directory).catch(() => {})
      }
    }
  } catch (error) {
    throw new InputError(`--out ${out ?? 'results'}: ${messageOf(error)}`)
  }
}

/**
 * Makes a folder and those above it. The result is whether it was not there. Each is made by itself: `recursive` of Node.js never comes
 * back where the system says of a folder that is there that it is not, as in /proc.
 */
async function makeFolder(path: string): Promise<true | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return undefined
  if (found !== undefined) throw new InputError(`${path} is a file; name a folder`)
  const above = dirname(path)
  if (above !== path) await makeFolder(above)
  await mkdir(path)
  return true
}

/** The first of `results/NAME`, `results/NAME-2`, … that is not there. Two commands that start at once get two. */
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
