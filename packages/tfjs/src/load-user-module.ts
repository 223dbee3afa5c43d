import { spawnSync } from 'node:child_process'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { InputError, messageOf } from '@murmuration/core'
import { blame, placeOf } from '@murmuration/tasks/user-code'
import type { UserModule } from './user-module.js'

/**
 * Loads a model's module. Throws an {@link InputError} when it cannot be loaded or does not export what a
 * {@link UserModule} must.
 *
 * @param path - a path, relative to the working directory, or a `file:` URL
 */
export async function loadUserModule(path: string): Promise<UserModule> {
  const url = path.startsWith('file:') ? path : pathToFileURL(isAbsolute(path) ? path : resolve(path)).href
  const loaded: unknown = await import(url).catch((error: unknown) => {
    throw new InputError(`the model's module ${loadingPlace(path, url, error)} cannot be loaded: ${reason(error)}`)
  })
  check(loaded, path)
  return guarded(loaded, path)
}

/** The module, with functions whose errors name the module and the line. */
function guarded(module: UserModule, path: string): UserModule {
  const guard =
    <Given extends readonly unknown[], Result>(what: string, act: (...args: Given) => Result) =>
    (...args: Given): Result => {
      const fail = (error: unknown): never => {
        throw blame(path, what, error)
      }
      try {
        const result = act(...args)
        return result instanceof Promise ? (result.catch(fail) as Result) : result
      } catch (error) {
        return fail(error)
      }
    }
  const { keepWeights, loss, loadSamples } = module
  return {
    createModel: guard('createModel', (tf, context) => module.createModel(tf, context)),
    ...(keepWeights === undefined ? {} : { keepWeights }),
    ...(loss === undefined ? {} : { loss: guard('loss', loss) }),
    ...(loadSamples === undefined ? {} : { loadSamples: guard('loadSamples', loadSamples) })
  }
}

/** Syntax errors do not contain their position; Node's own check of a file prints it in its first line. */
function loadingPlace(path: string, url: string, error: unknown): string {
  if (!(error instanceof SyntaxError)) return placeOf(url, error).replace(url, path)
  const { stderr } = spawnSync(process.execPath, ['--check', fileURLToPath(url)], { encoding: 'utf8', timeout: 10_000 })
  const line = /:(\d+)$/.exec(stderr.split('\n')[0])?.[1]
  return line === undefined ? path : `${path}:${line}`
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') return messageOf(error)
  return `Node ${process.version} does not load TypeScript; use Node 22.18 or later, or compile the module to JavaScript`
}

function check(loaded: unknown, path: string): asserts loaded is UserModule {
  const exported = new Map(Object.entries(loaded as object))
  if (typeof exported.get('createModel') !== 'function') {
    const names = [...exported.keys()].join(', ') || 'nothing'
    throw new InputError(
      `the model's module ${path} exports ${names}, expected a function createModel(tf, { inputShape, classes, options }) that returns a tf.LayersModel`
    )
  }
  for (const name of ['loss', 'loadSamples']) {
    if (exported.has(name) && typeof exported.get(name) !== 'function') {
      throw new InputError(`the export "${name}" of the model's module ${path} is not a function`)
    }
  }
  if (exported.has('keepWeights') && typeof exported.get('keepWeights') !== 'boolean') {
    throw new InputError(`the export "keepWeights" of the model's module ${path} is neither true nor false`)
  }
}
