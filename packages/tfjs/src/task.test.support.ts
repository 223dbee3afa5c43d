import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Task } from '@murmuration/core'
import type { BackendChoice } from './backend-choice.js'
import { createTask as createTaskOn, type TfjsTaskOptions } from './task.js'

/**
 * The backend that 'auto' chooses: test/src/processes/tfjs-node.test.ts runs these tests where tfjs-node is installed.
 */
export const bestBackend = hasTfjsNode() ? 'tensorflow' : 'wasm'

/** The backend of tests that name none: test/src/processes/webgpu.test.ts runs them on another than 'auto'. */
export const testedBackend = (process.env.TESTED_BACKEND ?? 'auto') as BackendChoice

/** As `createTask` of this package, on the backend of the tests unless one is given. */
export function createTask({ backend = testedBackend, ...options }: TfjsTaskOptions): Promise<Task> {
  return createTaskOn({ ...options, backend })
}

function hasTfjsNode(): boolean {
  try {
    createRequire(import.meta.url).resolve('@tensorflow/tfjs-node')
    return true
  } catch {
    return false
  }
}

/** Drawn digits, of which 20 % are for testing, for one peer. */
export const localData = (samples: number): TfjsTaskOptions['localData'] => ({
  data: { kind: 'digits', samples },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  seed: 1
})

/** A task of a module with this source, and 40 samples of 6 × 6 × 1 or, with `ids`, of 5 numbers of words. */
export async function taskOf(source: string, { ids = false, classes = 3, backend }: Fixture = {}): Promise<Task> {
  const path = await moduleOf(`${source}
    export function loadSamples() {
      const shape = ${ids ? '[5]' : '[6, 6, 1]'}, size = shape.reduce((a, b) => a * b, 1)
      const inputs = Float32Array.from({ length: 40 * size }, (_, i) => ${ids ? '(i * 7) % 11' : 'Math.sin(i * i)'})
      const targets = Float32Array.from({ length: 40 }, (_, i) => ${classes > 0 ? `i % ${classes}` : 'Math.cos(i)'})
      return { inputs, inputShape: shape, targets, classes: ${classes > 0 ? classes : 'undefined'} }
    }`)
  return createTask({ localData: localData(2), model: { kind: 'module', path }, backend })
}

/** Options of `taskOf`. */
export interface Fixture {
  readonly ids?: boolean
  readonly classes?: number
  readonly backend?: TfjsTaskOptions['backend']
}

/** A file with this source. */
export async function moduleOf(source: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'model.mjs')
  await writeFile(path, source)
  return path
}

/** The source of a module whose model has these layers. */
export const sequential = (layers: string) => `export const createModel = (tf, { inputShape, classes }) => {
  const l = tf.layers
  return tf.sequential({ layers: [l.inputLayer({ inputShape }), ${layers}] })
}`
