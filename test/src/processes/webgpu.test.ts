/**
 * The WebGPU backend, as test/webgpu.sh installs it, on SwiftShader, which computes in software: tests of
 * packages/tfjs, and a swarm.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'
import { root } from '../repository.js'

const modules = join(root, 'node_modules/.cache/webgpu/node_modules')
/** Chromium's own folder: it has the driver, and the loader of drivers, which the system may have not. */
const chromium = '/usr/lib/chromium'
const driver = join(chromium, 'vk_swiftshader_icd.json')
const isInstalled = existsSync(join(modules, '@tensorflow/tfjs-backend-webgpu')) && existsSync(driver)
const onWebgpu = isInstalled ? test.serial : test.serial.skip
const skipped = isInstalled ? '' : ' (skipped: "sh test/webgpu.sh" installs it, where there is SwiftShader)'

/** The driver prints an error where there is no folder for sockets. */
const environment = async () => ({
  NODE_PATH: modules,
  VK_ICD_FILENAMES: driver,
  LD_LIBRARY_PATH: chromium,
  XDG_RUNTIME_DIR: await temporaryFolder()
})

const suite = ['task', 'untrained', 'draws', 'webgpu'].map((name) => `packages/tfjs/dist/${name}.test.js`)

/** Tests of hundreds of gradients, of which each takes a tenth of a second or more in software. */
const slow = [
  'the gradient is the slope of the loss*',
  'plain gradient descent*',
  'the text that a small GPT generates*',
  "a module's own loss*",
  '*something else: *LSTM',
  '*something else: *both directions'
]

onWebgpu(`the tests of packages/tfjs pass on WebGPU${skipped}`, async (t) => {
  const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
  const env = { ...process.env, ...(await environment()), TESTED_BACKEND: 'webgpu' }
  const options = { cwd: root, env, timeout: timeLimit(300_000), maxBuffer: 1 << 26 }
  const args = [ava, '--tap', '--concurrency=1', ...slow.map((title) => `--match=!${title}`), ...suite]
  const [error, output] = await new Promise<[Error | null, string]>((resolve) =>
    execFile(process.execPath, args, options, (...[failed, out]) => resolve([failed, out]))
  )
  t.is(error, null, output)
  t.true(Number(/^# pass (\d+)$/m.exec(output)?.[1]) > 35, output)
})

onWebgpu(`a swarm ends where one on WebAssembly ends, but for rounding${skipped}`, async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pair.yaml'), 'graph: ring\npeers: 2\n')
  const env = await environment()
  const summaryOn = async (backend: string) => {
    const training = `task: cnn\nbackend: ${backend}\ndata: { digits: 200, size: 10 }\nrounds: 10\nbatch: 16\nrate: { initial: 0.5 }\n`
    await writeFile(join(folder, `${backend}.yaml`), training)
    const args = ['swarm', join(folder, 'pair.yaml'), '--train', join(folder, `${backend}.yaml`), '--json']
    const result = await murmur(args, folder, timeLimit(120_000), { env }).result
    t.is(result.code, 0, result.stderr)
    t.is(result.stderr, '')
    return recordsOf(result).at(-1) ?? {}
  }
  const webgpu = await summaryOn('webgpu')
  const wasm = await summaryOn('wasm')
  t.deepEqual([webgpu.backend, wasm.backend], ['webgpu', 'wasm'])
  const found = webgpu.lossOfMean as number
  const expected = wasm.lossOfMean as number
  t.true(Math.abs(found - expected) < 1e-3, `a loss of ${found}, not ${expected}`)
})

onWebgpu(`stopped amid a gradient, peers end in order${skipped}`, async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pair.yaml'), 'graph: ring\npeers: 2\n')
  const training = 'task: cnn\nbackend: webgpu\ndata: { digits: 200, size: 10 }\nrounds: 10000\nbatch: 16\n'
  await writeFile(join(folder, 'train.yaml'), training)
  const args = ['swarm', join(folder, 'pair.yaml'), '--train', join(folder, 'train.yaml'), '--json']
  const swarm = murmur(args, folder, timeLimit(60_000), { env: await environment() })
  await swarm.saying('"kind":"step"')
  swarm.process.kill('SIGINT')
  const { code, stderr } = await swarm.result
  t.deepEqual([code, stderr], [130, 'murmur: stopped by a signal\n'])
  t.false(recordsOf(await swarm.result).some(({ kind }) => kind === 'lost'))
})

onWebgpu(`without a driver the error says so${skipped}`, async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pair.yaml'), 'graph: ring\npeers: 2\n')
  await writeFile(join(folder, 'train.yaml'), 'backend: webgpu\n')
  const env = { ...(await environment()), VK_ICD_FILENAMES: join(folder, 'absent.json') }
  const args = ['swarm', join(folder, 'pair.yaml'), '--train', join(folder, 'train.yaml')]
  const { code, stderr } = await murmur(args, folder, timeLimit(60_000), { env }).result
  t.is(code, 2)
  t.regex(stderr, /backend "webgpu" cannot be used: WebGPU: found no GPU with a driver/)
})
