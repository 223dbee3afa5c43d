import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** How a run of tests ended. */
export type Ending = 'passed' | 'failed' | 'hung'

interface MutantRunOptions {
  /** The milliseconds after which a run counts as hanging. */
  readonly limit?: number
  readonly environment?: NodeJS.ProcessEnv
}

/** Runs a test file with ava in `folder`, up to the first failure. */
export function runTest(folder: string, file: string, { limit, environment }: MutantRunOptions = {}): Promise<Ending> {
  // ava's own program and not its shim, so that killing it ends it.
  const ava = join(folder, 'node_modules/ava/entrypoints/cli.mjs')
  const child = spawn(process.execPath, [ava, '--fail-fast', file], { cwd: folder, stdio: 'ignore', env: environment })
  let hung = false
  const timer = limit === undefined ? undefined : setTimeout(() => (hung = child.kill('SIGKILL')), limit)
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(hung ? 'hung' : code === 0 ? 'passed' : 'failed')
    })
  )
}
