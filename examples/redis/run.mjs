// Workers, services and a Redis of their own, as processes on this machine: node examples/redis/run.mjs
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRedis } from '@murmuration/stores/programs'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const redis = await startRedis({ save: '60 1' })
try {
  const train = join(redis.folder, 'train.yaml')
  const text = await readFile(file('train.yaml'), 'utf8')
  await writeFile(train, text.replace('redis://localhost:6379', redis.url))
  const murmur = file('../../packages/cli/bin/murmur.js')
  const given = ['swarm', file('topology.yaml'), '--train', train, ...process.argv.slice(2)]
  const child = spawn(process.execPath, [murmur, ...given], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} finally {
  await redis.end()
}
