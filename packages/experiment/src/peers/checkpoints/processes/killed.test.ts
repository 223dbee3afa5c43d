import { spawn } from 'node:child_process'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { exampleRun, exampleSaved } from '../example.test.support.js'
import { CheckpointFolder } from '../folder.js'

const seed = Number(process.env.MURMURATION_SEED ?? 1)
const kills = 12

/**
 * Writes checkpoints from `first` on in a process, which is killed `after` milliseconds from its first one. Returns the
 * last that it reported.
 */
async function writeAndKill(folder: string, first: number, after: number): Promise<number> {
  const script = fileURLToPath(new URL('./killed-writer.test.support.js', import.meta.url))
  const child = spawn(process.execPath, [script, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  const ended = new Promise((resolve) => child.on('close', resolve))
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      said += String(data)
      resolve()
    })
    void ended.then(() => resolve())
  })
  await delay(after)
  child.kill('SIGKILL')
  await ended
  return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
}

test(`a process that is killed while it writes checkpoints leaves the last one whole: ${kills} times, seed ${seed} (MURMURATION_SEED)`, async (t) => {
  t.timeout(timeLimit(120_000))
  const folder = await mkdtemp(join(tmpdir(), 'murmur-checkpoints-'))
  const random = createRandom(seed, 'kills')
  const checkpoints = new CheckpointFolder(folder, peerName('a'), exampleRun)
  let next = 1
  for (let kill = 0; kill < kills; kill++) {
    const said = await writeAndKill(folder, next, 60 * random.uniform())
    const damaged: string[] = []
    const [newest, before] = (await checkpoints.whole((text) => damaged.push(text))).rounds
    t.deepEqual(damaged, [])
    t.true(newest === said || newest === said + 1, `${newest} is the newest, and ${said} was said to be written`)
    t.true(before === newest - 1 || newest === 1, `${before} is the one before`)
    t.deepEqual(await checkpoints.resume(newest), exampleSaved(newest))
    next = newest + 1
  }
  await checkpoints.prepare()
  t.deepEqual(
    (await readdir(checkpoints.path)).filter((name) => name.endsWith('.part')),
    []
  )
})
