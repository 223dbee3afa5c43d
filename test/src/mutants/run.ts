import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** How a run of tests ended. */
export type Ending = 'passed' | 'failed' | 'hung'

/** Runs test files with ava in `folder`, up to the first failure. What takes longer than `limit` milliseconds hangs. */
export function runTests(folder: string, files: readonly string[], limit = Number.POSITIVE_INFINITY): Promise<Ending> {
  // ava's own program and not its shim: so that killing it ends it.
  const ava = join(folder, 'node_modules/ava/entrypoints/cli.mjs')
  const child = spawn(process.execPath, [ava, '--fail-fast', ...files], { cwd: folder, stdio: 'ignore' })
  let hung = false
  const timer = limit < 2 ** 31 ? setTimeout(() => (hung = child.kill('SIGKILL')), limit) : undefined
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(hung ? 'hung' : code === 0 ? 'passed' : 'failed')
    })
  )
}
