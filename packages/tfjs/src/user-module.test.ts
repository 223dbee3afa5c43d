import { rename } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'
import { startTaskWorker } from '@murmuration/tasks'
import test, { type ExecutionContext } from 'ava'
import { tfjsTaskModule } from './lazy.js'
import type { TfjsTaskOptions } from './task.js'
import { moduleOf, sequential, localData } from './task.test.support.js'

/** The error of a peer that builds a task of this source in its thread, and computes a gradient. */
async function failureOf(t: ExecutionContext, path: string): Promise<string> {
  const options: TfjsTaskOptions = { localData: localData(20), model: { kind: 'module', path } }
  const run = async () => {
    const task = await startTaskWorker({ module: tfjsTaskModule, options, userModule: path }, { timeout: 300_000 })
    try {
      await task.gradient(await task.initialise(1).run(), Uint32Array.of(0)).run()
    } finally {
      await task.close()
    }
  }
  return messageOf(await t.throwsAsync(run(), { instanceOf: InputError })).replace(path, 'PATH')
}

const dense = sequential('l.flatten(), l.dense({ units: classes })')
const failures: readonly (readonly [string, string, string])[] = [
  [
    'throws when it is loaded',
    'const a = 1\nthrow new Error("boom")',
    "the model's module PATH:2 cannot be loaded: boom"
  ],
  ['is no JavaScript', 'const a = 1\n\nconst = 2', "the model's module PATH:3 cannot be loaded: Unexpected token '='"],
  [
    'throws in createModel',
    'const a = 1\nexport const createModel = () => {\n  throw new Error("boom")\n}',
    "createModel of the model's module PATH:3 fails: boom"
  ],
  [
    'rejects in createModel',
    'export async function createModel() {\n  await 1\n  throw new Error("boom")\n}',
    "createModel of the model's module PATH:3 fails: boom"
  ],
  [
    'throws in its loss',
    `${dense}\nexport const loss = (tf, outputs) => outputs.nothing.here`,
    "loss of the model's module PATH:5 fails: Cannot read properties of undefined (reading 'here')"
  ],
  [
    'calls process.exit',
    'export function createModel() {\n  process.exit(3)\n}',
    "createModel of the model's module PATH:2 fails: process.exit(3) is called, which does not end the run; throw an error instead"
  ],
  [
    'never resolves',
    'export const createModel = () => new Promise(() => {})',
    "the model's module PATH: the task's thread ended with code 13: it awaits something that can no longer happen"
  ],
  [
    'throws where nobody waits for it',
    'export const createModel = () => {\n  setTimeout(() => {\n    throw new Error("boom")\n  })\n  return new Promise((resolve) => setTimeout(resolve, 1e4))\n}',
    "the model's module PATH:3 fails: boom"
  ]
]

for (const [title, source, message] of failures) {
  test.serial(`a user's module that ${title} is named with its line`, async (t) => {
    t.is(await failureOf(t, await moduleOf(source)), message)
  })
}

test.serial('a module in TypeScript is loaded where Node can, and elsewhere it is said which Node can', async (t) => {
  const path = (await moduleOf(`${dense}\nexport const keepWeights: boolean = 1 as unknown as boolean`)).replace(
    /mjs$/,
    'ts'
  )
  await rename(path.replace(/ts$/, 'mjs'), path)
  t.regex(
    await failureOf(t, path),
    Reflect.get(process.features, 'typescript')
      ? /"keepWeights" of the model's module PATH is neither true nor false/
      : /^the model's module PATH cannot be loaded: Node v\S+ does not load TypeScript; use Node 22\.18 or later, or compile/
  )
})
