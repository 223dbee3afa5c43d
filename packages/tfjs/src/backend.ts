import { InputError, messageOf } from '@murmuration/core'
import { type BackendChoice, backendChoices, maxWasmParameters } from './backend-choice.js'
import { registerTrainingKernels } from './kernels/index.js'
import { core, loadCpuBackend, loadNativeBackend, loadWasmBackend } from '#tfjs/packages.js'
import { startWebgpu } from './webgpu.js'

const { enableProdMode, getBackend, setBackend } = core

/** The chosen backend, and a sentence for the user on the reason. */
export interface Backend {
  /** TensorFlow.js's name: 'tensorflow', 'webgpu', 'wasm' or 'cpu'. */
  readonly name: string
  readonly reason: string
}

interface BackendCandidate {
  readonly choice: (typeof backendChoices)[number]
  readonly name: string
  readonly title: string
  /** What the user installs, as npm takes it; empty for the backends that come with this package. */
  readonly packages: readonly string[]
  /** Resolves with the name of the device, where there are several. */
  load(): Promise<string | void>
}

const candidates: readonly BackendCandidate[] = [
  {
    choice: 'gpu',
    name: 'tensorflow',
    title: 'tfjs-node-gpu',
    packages: ['@tensorflow/tfjs-node-gpu@4.22.0'],
    load: async () => loadNativeBackend('tfjs-node-gpu')
  },
  {
    choice: 'node',
    name: 'tensorflow',
    title: 'tfjs-node',
    packages: ['@tensorflow/tfjs-node@4.22.0'],
    load: async () => loadNativeBackend('tfjs-node')
  },
  {
    choice: 'webgpu',
    name: 'webgpu',
    title: 'WebGPU',
    packages: ['webgpu', '@tensorflow/tfjs-backend-webgpu@4.22.0'],
    load: loadWebgpu
  },
  { choice: 'wasm', name: 'wasm', title: 'WebAssembly', packages: [], load: loadWasm },
  { choice: 'cpu', name: 'cpu', title: 'plain JavaScript', packages: [], load: async () => loadCpuBackend() }
]

/**
 * Starts the best backend that loads (a GPU through tfjs-node-gpu, native code through tfjs-node, WebAssembly, plain
 * JavaScript), or the requested one. The first two, and WebGPU, are available only where the user has installed their
 * packages. Throws an InputError when no such backend can start.
 */
export function chooseBackend(choice: BackendChoice = 'auto'): Promise<Backend> {
  const chosen = lastChoice.then(() => choose(choice))
  lastChoice = chosen.catch(() => {})
  return chosen
}

// One after the other: while a backend starts for the first time, TensorFlow.js has none at all.
let lastChoice: Promise<unknown> = Promise.resolve()

async function choose(choice: BackendChoice): Promise<Backend> {
  // Without this, TensorFlow.js prints advertisements and warnings into the user's output.
  enableProdMode()
  const failures: string[] = []
  const chosen = candidatesFor(choice)
  for (const candidate of chosen) {
    const { failure, device } = await start(candidate)
    if (failure === undefined) return { name: candidate.name, reason: reasonFor(candidate, choice, failures, device) }
    failures.push(failure)
  }
  throw new InputError(`backend "${choice}" cannot be used: ${failures.join('; ')}; ${remedy(chosen[0], failures)}`)
}

/**
 * As {@link chooseBackend} without a choice, for a trained model of so many parameters: plain JavaScript where
 * WebAssembly has no room for them.
 */
export async function backendFor(parameters: number): Promise<Backend> {
  const best = await chooseBackend()
  return best.name === 'wasm' && parameters > maxWasmParameters ? chooseBackend('cpu') : best
}

function remedy({ packages }: BackendCandidate, [failure]: readonly string[]): string {
  const auto = 'use "auto" for the best that works'
  return failure.endsWith(missing) ? `run "npm install ${packages.join(' ')}", or ${auto}` : auto
}

/**
 * Runs `act` with `name`, a backend that {@link chooseBackend} has started. No other task runs before `act` returns or,
 * if it is asynchronous, before it first waits.
 */
export async function onBackend<Result>(name: string, act: () => Result | Promise<Result>): Promise<Result> {
  // Another task may set its own backend while this one waits, hence the loop.
  while (getBackend() !== name) await setBackend(name)
  return act()
}

/** WebGPU only on request: whether an adapter is faster than WebAssembly depends on both. */
function candidatesFor(choice: BackendChoice): readonly BackendCandidate[] {
  const chosen = candidates.filter((candidate) =>
    choice === 'auto' ? candidate.choice !== 'webgpu' : candidate.choice === choice
  )
  if (chosen.length > 0) return chosen
  throw new InputError(`backend is "${choice}", expected one of auto, ${backendChoices.join(', ')}`)
}

/** Starts a backend. Returns why it cannot, or the device that computes, if there is a choice of devices. */
async function start(candidate: BackendCandidate): Promise<{ readonly failure?: string; readonly device?: string }> {
  const { title, name } = candidate
  try {
    const device = await candidate.load()
    if (!(await setBackend(name))) return { failure: `${title} does not start` }
    return typeof device === 'string' ? { device } : {}
  } catch (thrown) {
    return { failure: isMissing(thrown, candidate) ? `${title} ${missing}` : `${title}: ${firstLine(thrown)}` }
  }
}

const missing = 'is not installed'

function reasonFor(
  candidate: BackendCandidate,
  choice: BackendChoice,
  failures: readonly string[],
  device: string | undefined
): string {
  if (choice !== 'auto') return `${candidate.title} was requested${device === undefined ? '' : `, on ${device}`}`
  return failures.length === 0
    ? `${candidate.title} is installed and loads`
    : `${failures.join(', ')}; so ${candidate.title} computes`
}

async function loadWasm(): Promise<void> {
  await loadWasmBackend(() => {
    registerTrainingKernels()
    return setBackend('wasm')
  })
}

async function loadWebgpu(): Promise<string> {
  // Models are built there, since user code may read tensors at once.
  loadCpuBackend()
  return startWebgpu()
}

/** Whether a package of the backend itself is missing, not one of its dependencies. */
function isMissing(thrown: unknown, { packages }: BackendCandidate): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  const absent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  return absent && packages.some((name) => messageOf(thrown).includes(`'${name.replace(/@[\d.]+$/, '')}'`))
}

function firstLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0]
}
