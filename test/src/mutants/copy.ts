import { cp, mkdir, mkdtemp, readdir, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../repository.js'

const scope = '@murmuration'

/** A copy of the build, in which mutants can be tried; the repository itself is not touched. Returns its folder. */
export async function copyOfRepository(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'mutants-'))
  for (const name of ['package.json', 'ava.config.js']) await cp(join(root, name), join(folder, name))
  // The packages' own node_modules are linked. Sources have the transcripts beside them.
  const isOurs = (path: string) => basename(path) !== 'node_modules'
  for (const name of ['packages', 'test', 'docs', 'studies', 'topologies', 'sim']) {
    await cp(join(root, name), join(folder, name), { recursive: true, filter: isOurs })
  }
  await linkModules(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'node_modules', scope))
  for (const name of await readdir(join(root, 'packages'))) {
    await symlink(join(folder, 'packages', name), join(folder, 'node_modules', scope, name))
    await linkModules(join(root, 'packages', name, 'node_modules'), join(folder, 'packages', name, 'node_modules'))
  }
  return folder
}

/** Links the installed third-party packages; the repository's own must be those of the copy. */
async function linkModules(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => [])
  if (names.length > 0) await mkdir(to)
  for (const name of names.filter((each) => each !== scope)) await symlink(join(from, name), join(to, name))
}
