import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { loadTask } from '@murmuration/tasks'
import test from 'ava'
import { makePlan } from '../make-plan.js'
import { taskOf } from '../training/plan.js'
import { exportModel } from './export-model.js'
import { factsOfRun, learned, modelFile } from './model-file.js'
import { predict } from './predict-saved.js'

async function all<T>(each: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of each) found.push(one)
  return found
}

/** The part of ONNX Runtime that is used; it is no dependency, since it brings 300 MB. */
interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string): Promise<{
      readonly outputNames: readonly string[]
      run(
        inputs: object,
        outputs: readonly string[]
      ): Promise<Readonly<Record<string, { readonly data: ArrayLike<bigint> | Float32Array }>>>
    }>
  }
  readonly Tensor: new (type: string, values: Float32Array, shape: readonly number[]) => object
}

const runtimeName = 'onnxruntime-node'
// Tests are declared at once, so it is imported in them.
const hasRuntime = (() => {
  try {
    return createRequire(import.meta.url).resolve(runtimeName) !== ''
  } catch {
    return false
  }
})()

/** Saves a model with this kernel, of coefficients that were not trained. */
async function saved(folder: string, kernel: string) {
  const at = (name: string) => join(folder, name)
  const rows = Array.from({ length: 40 }, (_, k) => [Math.sin(k), Math.cos(2 * k), k % 2 === 0 ? 3 : 7])
  await writeFile(at('data.csv'), rows.map((row) => row.join()).join('\n'))
  await writeFile(at('topology.yaml'), 'graph: complete\npeers: 2\n')
  const training = `task: { kind: svm, kernel: ${kernel} }\ndata: { path: ${at('data.csv')} }\nalgorithm: svm-blocks\n`
  await writeFile(at('train.yaml'), training)
  const plan = await makePlan({ topology: at('topology.yaml'), train: at('train.yaml') })
  const task = await loadTask(taskOf(plan))
  const parameters = new Float32Array(task.samples + 1)
  for (const [place, value] of [0.5, -0.5, 0.75, -0.25, -0.5].entries()) parameters[3 + 2 * place] = value
  parameters[task.samples] = 0.125
  const facts = factsOfRun(plan, { samples: 0, ...learned(task) })
  await writeFile(at('model.safetensors'), Buffer.concat(modelFile(task.schema, parameters, facts)))
  return at('model.safetensors')
}

for (const kernel of ['linear', '{ rbf: { gamma: 0.7 } }', '{ polynomial: { degree: 3, gamma: 0.5, coef0: 1 } }']) {
  const inOnnx = hasRuntime ? test : test.skip
  inOnnx(
    `kernel ${kernel}: ONNX Runtime gives the same values and classes (skipped without ${runtimeName})`,
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'murmuration-'))
      const model = await saved(folder, kernel)
      await exportModel(model, { out: folder, format: 'onnx' })
      const inputs = Array.from({ length: 12 }, (_, k) => [Math.sin(3 * k), Math.cos(k)])
      await writeFile(join(folder, 'in.csv'), inputs.map((row) => row.join()).join('\n'))
      const ours = await all(predict(model, [join(folder, 'in.csv')]))
      const { InferenceSession, Tensor } = (await import(runtimeName)) as OnnxRuntime
      const session = await InferenceSession.create(join(folder, 'model.onnx'))
      const [labels, scores] = session.outputNames
      const given = { input: new Tensor('float32', Float32Array.from(inputs.flat()), [inputs.length, 2]) }
      const found = await session.run(given, session.outputNames)
      t.deepEqual(
        Array.from(found[labels].data, String),
        ours.map(({ decision }) => decision)
      )
      for (const [place, { values: [value] = [] }] of ours.entries()) {
        const [first, second] = (found[scores].data as Float32Array).subarray(2 * place, 2 * place + 2)
        t.true(Math.abs(first - value) < 1e-5 && second === -first, `${first}, ${value}`)
      }
    }
  )
}

test('a model with a kernel reads its support vectors from the data, and is a file of LIBSVM and ONNX, and no network', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-'))
  const at = (name: string) => join(folder, name)
  const rows = Array.from({ length: 40 }, (_, k) => [Math.sin(k), Math.cos(2 * k), k % 2 === 0 ? 3 : 7])
  await writeFile(at('data.csv'), rows.map((row) => row.join()).join('\n'))
  await writeFile(at('topology.yaml'), 'graph: complete\npeers: 2\n')
  const training = `task: { kind: svm, kernel: linear }\ndata: { path: ${at('data.csv')} }\nalgorithm: svm-blocks\n`
  await writeFile(at('train.yaml'), training)
  const plan = await makePlan({ topology: at('topology.yaml'), train: at('train.yaml') })
  const task = await loadTask(taskOf(plan))
  const parameters = new Float32Array(task.samples + 1)
  parameters[3] = 0.5
  parameters[5] = -0.5
  parameters[task.samples] = 0.125
  const facts = factsOfRun(plan, { samples: 0, ...learned(task) })
  await writeFile(at('model.safetensors'), Buffer.concat(modelFile(task.schema, parameters, facts)))

  await writeFile(at('in.csv'), '1,0\n0,2\n')
  const found = await all(predict(at('model.safetensors'), [at('in.csv')]))
  const w = task.kernel?.sample(3).map((value, i) => 0.5 * (value - (task.kernel?.sample(5)[i] ?? 0))) ?? []
  for (const [index, expected] of [w[0] + 0.125, 2 * w[1] + 0.125].entries()) {
    const { decision, values: [value] = [] } = found[index]
    t.true(Math.abs(value - expected) < 1e-6, `${value}, ${expected}`)
    t.is(decision, expected > 0 ? '7' : '3')
  }

  t.deepEqual(await exportModel(at('model.safetensors'), { out: at('out') }), [
    at('out/model.libsvm'),
    at('out/model.onnx')
  ])
  const text = await readFile(at('out/model.libsvm'), 'utf8')
  t.regex(text, /kernel_type linear\nnr_class 2\ntotal_sv 2\nrho -0.125\nlabel 7 3\nnr_sv 1 1\nSV\n0.5 2:1\n/)
  const onnx = await readFile(at('out/model.onnx'))
  for (const word of ['SVMClassifier', 'ai.onnx.ml', 'LINEAR', 'vectors_per_class']) t.true(onnx.includes(word), word)
  await t.throwsAsync(exportModel(at('model.safetensors'), { out: at('out'), format: 'tfjs' }), {
    instanceOf: InputError,
    message: /found --format tfjs, expected libsvm or onnx/
  })
  const other = training.replace('data.csv', 'fewer.csv')
  await writeFile(
    at('fewer.csv'),
    rows
      .slice(10)
      .map((row) => row.join())
      .join('\n')
  )
  await writeFile(at('train.yaml'), other)
  const fewer = await makePlan({ topology: at('topology.yaml'), train: at('train.yaml') })
  const wrong = factsOfRun(fewer, { samples: 0, ...learned(task) })
  await writeFile(at('wrong.safetensors'), Buffer.concat(modelFile(task.schema, parameters, wrong)))
  await t.throwsAsync(all(predict(at('wrong.safetensors'), [at('in.csv')])), { instanceOf: InputError })
})
