/** The native backend: the tests of packages/tfjs and a swarm on tfjs-node, as test/tfjs-node.sh builds it. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'
import { root } from '../repository.js'

const modules = join(root, 'node_modules/.cache/tfjs-node/node_modules')
const isBuilt = existsSync(join(modules, '@tensorflow/tfjs-node/lib/napi-v8/tfjs_binding.node'))
const onNative = isBuilt ? test.serial : test.serial.skip
const skipped = isBuilt ? '' : ' (skipped: "sh test/tfjs-node.sh" builds it)'
const env = { NODE_PATH: modules, TF_CPP_MIN_LOG_LEVEL: '1' }

/** Those in folders of kernels and dense layers name their backends, WebAssembly and plain JavaScript, themselves. */
const suite = ['packages/tfjs/dist/*.test.js', 'packages/tfjs/dist/gpt/*.test.js', 'packages/tfjs/dist/use/*.test.js']

onNative(`the tests of packages/tfjs pass on tfjs-node${skipped}`, async (t) => {
  const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
  const options = { cwd: root, env: { ...process.env, ...env }, timeout: timeLimit(300_000), maxBuffer: 1 << 26 }
  const [error, output] = await new Promise<[Error | null, string]>((resolve) =>
    execFile(process.execPath, [ava, '--tap', ...suite], options, (...[failed, out]) => resolve([failed, out]))
  )
  t.is(error, null, output)
  t.true(Number(/^# pass (\d+)$/m.exec(output)?.[1]) > 60, output)
})

onNative(`a swarm trains a convolutional network on tfjs-node${skipped}`, async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pair.yaml'), 'graph: ring\npeers: 2\n')
  await writeFile(join(folder, 'short.yaml'), 'task: cnn\ndata: { digits: 600 }\nrounds: 40\nrate: { initial: 0.1 }\n')
  const args = ['swarm', join(folder, 'pair.yaml'), '--train', join(folder, 'short.yaml'), '--json']
  const result = await murmur(args, folder, timeLimit(90_000), { env }).result
  t.is(result.code, 0, result.stderr)
  const summary = recordsOf(result).at(-1) ?? {}
  t.is(summary.backend, 'tensorflow')
  t.true((summary.accuracyOfMean as number) > 0.5, `accuracy ${summary.accuracyOfMean}`)
  t.is(result.stderr, '')
})
