import { dirname, sep } from 'node:path'
import { InputError, messageOf } from '@murmuration/core'
import { registerTrainingKernels } from './kernels/index.js'
import { core, loadCpuBackend, loadNativeBackend, loadWasmBackend } from './packages.js'

const { enableProdMode, getBackend, setBackend } = core

/** The backends by the names that users write, best first. */
export const backendChoices = ['gpu', 'node', 'wasm', 'cpu'] as const

/** A required backend, or 'auto' for the first that loads. */
export type BackendChoice = (typeof backendChoices)[number] | 'auto'

/** The chosen backend, and a sentence for the user on the reason. */
export interface Backend {
  /** TensorFlow.js's name: 'tensorflow', 'wasm' or 'cpu'. */
  readonly name: string
  readonly reason: string
}

interface Candidate {
  readonly choice: (typeof backendChoices)[number]
  readonly name: string
  readonly title: string
  load(): Promise<void>
}

const candidates: readonly Candidate[] = [
  { choice: 'gpu', name: 'tensorflow', title: 'tfjs-node-gpu', load: async () => loadNativeBackend('tfjs-node-gpu') },
  { choice: 'node', name: 'tensorflow', title: 'tfjs-node', load: async () => loadNativeBackend('tfjs-node') },
  { choice: 'wasm', name: 'wasm', title: 'WebAssembly', load: loadWasm },
  { choice: 'cpu', name: 'cpu', title: 'plain JavaScript', load: async () => loadCpuBackend() }
]

/**
 * Starts the best backend that loads (a GPU through tfjs-node-gpu, native code through tfjs-node, WebAssembly, plain JavaScript), or the requested
 * one. The first two are available only where the user has installed their packages. Throws an InputError when no such backend can start.
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
  for (const candidate of candidatesFor(choice)) {
    const failure = await start(candidate)
    if (failure === undefined) return { name: candidate.name, reason: reasonFor(candidate, choice, failures) }
    failures.push(failure)
  }
  throw new InputError(`backend "${choice}" cannot be used: ${failures.join('; ')}; use "auto" for the best that works`)
}

/** Makes `name`, which {@link chooseBackend} has started, the backend of the operations that follow in the same turn of the event loop. */
export async function useBackend(name: string): Promise<void> {
  // Another task may set its own backend while this one waits, hence the loop.
  while (getBackend() !== name) await setBackend(name)
}

function candidatesFor(choice: BackendChoice): readonly Candidate[] {
  const chosen = candidates.filter((candidate) => choice === 'auto' || candidate.choice === choice)
  if (chosen.length > 0) return chosen
  throw new InputError(`backend is "${choice}", expected one of auto, ${backendChoices.join(', ')}`)
}

/** Starts a backend. Returns why it cannot, or `undefined` when it has started. */
async function start(candidate: Candidate): Promise<string | undefined> {
  try {
    await candidate.load()
    return (await setBackend(candidate.name)) ? undefined : `${candidate.title} does not start`
  } catch (thrown) {
    return isMissing(thrown, candidate)
      ? `${candidate.title} is not installed`
      : `${candidate.title}: ${firstLine(thrown)}`
  }
}

function reasonFor(candidate: Candidate, choice: BackendChoice, failures: readonly string[]): string {
  if (choice !== 'auto') return `${candidate.title} was requested`
  return failures.length === 0
    ? `${candidate.title} is installed and loads`
    : `${failures.join(', ')}; so ${candidate.title} computes`
}

async function loadWasm(): Promise<void> {
  const { setWasmPaths, main } = loadWasmBackend()
  setWasmPaths(dirname(main) + sep)
  registerTrainingKernels()
  await withoutNewListeners(() => setBackend('wasm'))
}

const processEvents = ['uncaughtException', 'unhandledRejection'] as const

/** Removes the listeners with which the WebAssembly runtime rethrows this process's uncaught errors. */
async function withoutNewListeners(action: () => Promise<unknown>): Promise<void> {
  const before = processEvents.map((event) => new Set(process.rawListeners(event)))
  await action()
  for (const [index, event] of processEvents.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[index].has(listener)) process.off(event, listener as () => void)
    }
  }
}

/** Whether the package itself is missing, not one of its dependencies. */
function isMissing(thrown: unknown, candidate: Candidate): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  const absent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  return absent && messageOf(thrown).includes(`'@tensorflow/${candidate.title}'`)
}

function firstLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0]
}
