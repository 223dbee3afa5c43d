import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

/** A task with one parameter; its loss is that parameter. */
const code = `
  export async function createTask() {
    const work = (run) => ({ kind: 'x', samples: 1, run })
    return {
      schema: [{ name: 'x', shape: [1] }], samples: 1, about: {},
      initialise: (seed) => work(async () => Float32Array.of(seed)),
      gradient: (x) => work(async () => ({ loss: 0, vector: x.slice() })),
      evaluate: (x) => work(async () => ({ loss: x[0] }))
    }
  }`
const module = `data:text/javascript,${encodeURIComponent(code)}`

test('a program that was given to node as text starts threads too', async (t) => {
  const program = `
    import { startTaskWorker } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)}
    const worker = await startTaskWorker({ module: ${JSON.stringify(module)}, options: {} })
    console.log((await worker.evaluate(Float32Array.of(5)).run()).loss)
    await worker.close()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  t.is(stdout, '5\n')
})
