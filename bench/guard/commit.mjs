/** Another commit of this repository, built beside this one. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from './command.mjs'

/** Installing and building may take so many milliseconds each. */
const buildTimeout = 1_800_000
const gitTimeout = 60_000

/** The full hash of a commit, and whether the files of the working tree differ from it. */
export async function describeCommit(root, name, signal) {
  const git = (...args) => run(['git', ...args], { cwd: root, timeout: gitTimeout, signal })
  const hash = await git('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`).catch((error) => {
    signal.throwIfAborted()
    throw new Error(`there is no commit "${name}" here; "git log" lists those that are (${error.message})`)
  })
  const changes = await git('status', '--porcelain', '--untracked-files=no')
  return { hash: hash.trim(), changed: changes !== '' }
}

/**
 * Checks a commit out into a folder of its own, installs and builds it.
 *
 * @param cache - where built commits stay, by hash; without it, the folder is a temporary one
 * @returns the folder, and what removes it if it is not to stay
 */
export async function buildCommit({ root, hash, cache, signal, say }) {
  const folder = cache === undefined ? await mkdtemp(join(tmpdir(), 'murmuration-bench-')) : join(resolve(cache), hash)
  const built = join(folder, '.built-for-bench')
  if (existsSync(built)) return { folder, remove: async () => {} }
  const remove = () => removeTree(root, folder)
  const steps = [
    ['git', 'worktree', 'add', '--force', '--detach', folder, hash],
    ['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund'],
    ['npm', 'run', 'build']
  ]
  try {
    if (cache !== undefined) await remove()
    await mkdir(folder, { recursive: true })
    for (const step of steps) {
      say(step.join(' '))
      await run(step, { cwd: step[0] === 'git' ? root : folder, timeout: buildTimeout, signal })
    }
    await writeFile(built, '')
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove: cache === undefined ? remove : async () => {} }
}

/** Not with "git worktree remove": it refuses folders that git does not know yet. */
async function removeTree(root, folder) {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  await run(['git', 'worktree', 'prune'], { cwd: root, timeout: gitTimeout, signal: new AbortController().signal })
}
