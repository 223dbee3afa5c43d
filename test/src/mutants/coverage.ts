import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * V8's coverage of a program: each function's blocks, of which the first is the function; offsets are those of the
 * text.
 */
interface Script {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly CoverageBlock[] }[]
}

interface CoverageBlock {
  readonly startOffset: number
  readonly endOffset: number
  /** How often it ran. */
  readonly count: number
}

/** The blocks of each program (by its URL) that some process loaded; one list for each process. */
export type Coverage = ReadonlyMap<string, readonly (readonly CoverageBlock[])[]>

/** Calls `run` with an environment that has `NODE_V8_COVERAGE` set; returns what ran of the programs in `folder`. */
export async function coverageOf(folder: string, run: (environment: NodeJS.ProcessEnv) => Promise<void>) {
  const reports = await mkdtemp(join(tmpdir(), 'coverage-'))
  try {
    await run({ ...process.env, NODE_V8_COVERAGE: reports })
    const found = new Map<string, (readonly CoverageBlock[])[]>()
    for (const report of await readdir(reports)) {
      const { result } = JSON.parse(await readFile(join(reports, report), 'utf8')) as { result: readonly Script[] }
      for (const { url, functions } of result.filter(({ url }) => url.startsWith(String(pathToFileURL(folder))))) {
        found.set(url, [...(found.get(url) ?? []), functions.flatMap(({ ranges }) => ranges)])
      }
    }
    return found
  } finally {
    await rm(reports, { recursive: true })
  }
}

/** Whether the code at `offset` of a program ran in some process: whether the smallest block around it did. */
export function isReached(coverage: Coverage, path: string, offset: number): boolean {
  return (coverage.get(String(pathToFileURL(path))) ?? []).some((blocks) => {
    const around = blocks.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
    const [smallest] = around.sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
    return smallest !== undefined && smallest.count > 0
  })
}
