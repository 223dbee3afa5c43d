/** Exported models give what "murmur predict" says: in TensorFlow.js, in a browser, and in ONNX Runtime. */
import { createRequire } from 'node:module'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { inputsIn } from '@murmuration/data'
import { type ContinuationOptions, continueText, exportModel, loadModel, predict } from '@murmuration/experiment/models'
import { loadTrainedModel } from '@murmuration/tfjs'
import { decodeSafetensorsHeader, safetensorsHeaderLength } from '@murmuration/vectors'
import test, { type ExecutionContext } from 'ava'
import { executablePath, openedBrowser, skipped } from './browser.js'
import { murmur } from './command.js'
import { png, type SavedModel, savedModel } from '../saved-model.js'

const require = createRequire(import.meta.url)
const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

/** The part that is used; it is no dependency, since it brings 300 MB. .ci/run installs it. */
interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string): Promise<{
      run(
        inputs: object
      ): Promise<Readonly<Record<string, { readonly data: Float32Array; readonly dims: readonly number[] }>>>
    }>
  }
  readonly Tensor: new (type: string, values: Float32Array, shape: readonly number[]) => object
}

const runtimeName = 'onnxruntime-node'
const runtime = await (import(runtimeName) as Promise<OnnxRuntime>).catch(() => undefined)
const inOnnx = runtime === undefined ? test.serial.skip : test.serial
const unavailable =
  runtime === undefined ? ` (skipped: ${runtimeName} does not load; npm install --no-save ${runtimeName})` : ''

const ownModel = `export function createModel(tf, { inputShape, classes }) {
  const { layers } = tf
  const input = tf.input({ shape: inputShape })
  const first = layers.conv2d({ filters: 4, kernelSize: 3, padding: 'same', dilationRate: 2, name: 'input' }).apply(input)
  const grey = layers.globalAveragePooling2d({}).apply(layers.depthwiseConv2d({ kernelSize: 3, depthMultiplier: 3 }).apply(input))
  const normal = layers.activation({ activation: 'relu' }).apply(layers.batchNormalization().apply(first))
  const deep = layers.depthwiseConv2d({ kernelSize: 3, depthMultiplier: 2, strides: 2, activation: 'tanh' }).apply(normal)
  const mean = layers.averagePooling2d({ poolSize: 3, strides: 2, padding: 'same' }).apply(normal)
  const most = layers.maxPooling2d({ poolSize: 2 }).apply(normal)
  const both = layers.concatenate().apply([mean, layers.add().apply([mean, most])])
  const shared = layers.dense({ units: 3, activation: 'sigmoid' })
  const twice = shared.apply(shared.apply(layers.reLU({ maxValue: 0.05 }).apply(grey)))
  const pooled = [twice, layers.globalAveragePooling2d({}).apply(both), layers.globalMaxPooling2d({}).apply(deep)]
  const all = layers.dropout({ rate: 0.5 }).apply(layers.concatenate().apply([...pooled, layers.flatten().apply(both)]))
  const outputs = layers.dense({ units: classes, activation: 'softmax', name: 'probabilities' }).apply(layers.dense({ units: 9, activation: 'elu', useBias: false }).apply(all))
  return tf.model({ inputs: input, outputs })
}
`

/** A model, its test images, and the module that it needs. */
interface Case extends SavedModel {
  readonly pictures: readonly string[]
  readonly task?: string
}

const kinds = ['mlp', 'cnn', 'own']

async function caseOf(kind: string): Promise<Case> {
  const saved = await (async () => {
    if (kind === 'mlp') return savedModel({ kind, hidden: [16] }, { kind, hidden: [16] })
    if (kind === 'cnn') return savedModel({ kind }, { kind })
    const { folder } = await savedModel({ kind: 'mlp', hidden: [1] }, { kind: 'mlp', hidden: [1] })
    const path = join(folder, 'own.mjs')
    await writeFile(path, ownModel)
    return { ...(await savedModel({ module: path }, { kind: 'module', path })), task: path }
  })()
  const pictures = await Promise.all(
    [0, 1, 2].map(async (place) => {
      const path = join(saved.folder, `${place}.png`)
      const pixels = Uint8Array.from({ length: 144 }, (_, k) => 127 + 127 * Math.sin(k * (place + 1)))
      await writeFile(path, png(12, 12, 1, pixels))
      return path
    })
  )
  return { ...saved, pictures }
}

const made = new Map(kinds.map((kind) => [kind, caseOf(kind)]))

/** The model's results for each image: the probabilities of 0 … 9. */
async function ours({ path, pictures, task }: Case): Promise<readonly (readonly number[])[]> {
  const all: number[][] = []
  for await (const { classes = [] } of predict(path, pictures, { task }))
    all.push(
      [...classes].sort((left, right) => Number(left.name) - Number(right.name)).map(({ probability }) => probability)
    )
  return all
}

function alike(
  t: ExecutionContext,
  found: readonly (readonly number[])[],
  expected: readonly (readonly number[])[]
): void {
  t.is(found.length, expected.length)
  const apart = expected.map((row, place) => Math.max(...row.map((value, k) => Math.abs(value - found[place][k]))))
  t.true(Math.max(...apart) < 1e-4, `at most ${Math.max(...apart)} apart`)
  const [first, second] = expected
  t.true(Math.max(...first.map((value, k) => Math.abs(value - second[k]))) > 0.01, 'the model tells pictures apart')
}

for (const kind of kinds) {
  const given = made.get(kind) as Promise<Case>

  inOnnx(`${kind}: ONNX Runtime gives the same probabilities${unavailable}`, async (t) => {
    const { path, folder, pictures, task } = await given
    await exportModel(path, { out: join(folder, 'onnx'), format: 'onnx', task })
    const { InferenceSession, Tensor } = runtime as OnnxRuntime
    const session = await InferenceSession.create(join(folder, 'onnx', 'model.onnx'))
    const { signature } = (await loadModel(path)).facts
    if (signature === undefined) return t.fail('no signature')
    const inputs = (await Promise.all(pictures.map((picture) => inputsIn(picture, signature)))).flat()
    const flat = Float32Array.from(inputs.flatMap(({ values }) => [...values]))
    const { probabilities } = await session.run({ input: new Tensor('float32', flat, [inputs.length, 12, 12, 1]) })
    t.deepEqual([...probabilities.dims], [inputs.length, 10])
    const rows = inputs.map((_, place) => [...probabilities.data.subarray(10 * place, 10 * place + 10)])
    alike(t, rows, await ours(await given))
  })

  inBrowser(
    `${kind}: TensorFlow.js in a browser gives the same probabilities for the same files${skipped}`,
    async (t) => {
      const { path, folder, pictures, task } = await given
      const out = join(folder, 'tfjs')
      await exportModel(path, { out, format: 'tfjs', task })
      const url = await served(t, [...pictures, join(out, 'model.json'), join(out, 'weights.bin')])
      const { page, complaints } = await openedBrowser(t, url, {})
      const rows = await page.evaluate(`(async () => {
      const model = await tf.loadLayersModel('model.json')
      const rows = []
      for (const name of ${JSON.stringify(pictures.map((picture) => basename(picture)))}) {
        const picture = await createImageBitmap(await (await fetch(name)).blob())
        const grey = tf.browser.fromPixels(picture, 1)
        const output = model.predict(tf.expandDims(tf.div(tf.cast(grey, 'float32'), 255), 0))
        rows.push([...(await output.data())])
      }
      return rows
    })()`)
      alike(t, rows as number[][], await ours(await given))
      t.deepEqual(complaints, [])
    }
  )
}

const size = { layers: 2, width: 16, heads: 2 }
const gpt = savedModel({ kind: 'gpt', ...size, context: 12 }, { kind: 'gpt', ...size }, { context: 12 })
/** Windows of numbers of characters, and the model's outputs for their last places. */
const windows = [0, 5].map((first) => Float32Array.from({ length: 12 }, (_, k) => (first + 3 * k) % 26))

/**
 * The distributions from which `continueText` draws: the probabilities of all characters after the last of a window.
 */
async function followers({ path }: SavedModel): Promise<readonly (readonly number[])[]> {
  const { facts, tensors } = await loadModel(path)
  if (facts.signature === undefined) throw new Error('no signature')
  const model = await loadTrainedModel({ model: { kind: 'gpt', ...size }, signature: facts.signature, tensors })
  const classes = facts.signature.classes ?? 0
  return Promise.all(windows.map(async (window) => [...(await model.predict(window)).subarray(11 * classes)]))
}

inOnnx(`gpt: ONNX Runtime gives the same probabilities${unavailable}`, async (t) => {
  const { path, folder } = await gpt
  await exportModel(path, { out: join(folder, 'onnx'), format: 'onnx' })
  const { InferenceSession, Tensor } = runtime as OnnxRuntime
  const session = await InferenceSession.create(join(folder, 'onnx', 'model.onnx'))
  const flat = Float32Array.from(windows.flatMap((window) => [...window]))
  const { probabilities } = await session.run({ input: new Tensor('float32', flat, [2, 12]) })
  const classes = probabilities.dims[2]
  t.deepEqual([...probabilities.dims], [2, 12, 26])
  const rows = [12, 24].map((end) => [...probabilities.data.subarray((end - 1) * classes, end * classes)])
  alike(t, rows, await followers(await gpt))
})

inBrowser(
  `gpt: TensorFlow.js in a browser gives the same probabilities, with the layers beside the model${skipped}`,
  async (t) => {
    const { path, folder } = await gpt
    const out = join(folder, 'tfjs')
    await exportModel(path, { out, format: 'tfjs' })
    const url = await served(
      t,
      ['model.json', 'weights.bin', 'layers.js'].map((name) => join(out, name))
    )
    const { page, complaints } = await openedBrowser(t, url, {})
    const rows = await page.evaluate(`(async () => {
    const { registerLayers } = await import('/layers.js')
    registerLayers(tf)
    const model = await tf.loadLayersModel('model.json')
    const outputs = ${JSON.stringify(windows.map((window) => [...window]))}.map((window) => model.predict(tf.tensor([window])))
    return outputs.map((output) => [...output.dataSync().slice(11 * output.shape[2])])
  })()`)
    alike(t, rows as number[][], await followers(await gpt))
    t.deepEqual(complaints, [])
  }
)

test.serial(
  'murmur predict continues a prompt: the same seed the same text, at 0 the most probable; what does not fit is refused',
  async (t) => {
    const { path, folder } = await gpt
    const text = async (beginning: string, how: ContinuationOptions) => {
      let all = ''
      for await (const character of continueText(path, beginning, how)) all += character
      return all
    }
    const given = ['--prompt', 'the fox', '--length', '30', '--seed', '4', '--temperature', '1.5']
    const { code, stdout, stderr } = await murmur(['predict', path, ...given], folder).result
    t.is(code, 0, stderr)
    t.is(stdout, `the fox${await text('the fox', { length: 30, seed: 4, temperature: 1.5 })}\n`)
    t.not(await text('the fox', { length: 30, seed: 5, temperature: 1.5 }), stdout.slice(7, -1))
    const { facts } = await loadModel(path)
    const { classNames = [] } = facts.signature ?? {}
    const [row] = await followers(await gpt)
    const beginning = Array.from(windows[0], (number) => classNames[number]).join('')
    t.is(await text(beginning, { length: 1, temperature: 0 }), classNames[row.indexOf(Math.max(...row))])
    await t.throwsAsync(text('the Fox', {}), {
      message: /^--prompt: line 1, character 5 is "F", expected one of the 26/
    })
    const picture = (await (made.get('mlp') as Promise<Case>)).path
    await t.throwsAsync(continueText(picture, 'a').next(), { message: /did not learn a text/ })
    await t.throwsAsync(predict(path, ['a.png']).next(), {
      message: /continues texts; give the beginning of one with --prompt/
    })
  }
)

/** Serves a page with TensorFlow.js as it is installed, and files next to it. */
async function served(t: ExecutionContext, paths: readonly string[]): Promise<string> {
  const scripts = ['core', 'layers', 'backend-cpu'].map((part) =>
    join(require.resolve(`@tensorflow/tfjs-${part}/package.json`), `../dist/tf-${part}.min.js`)
  )
  const files = new Map([...paths, ...scripts].map((path) => [`/${basename(path)}`, path]))
  const page = `<link rel="icon" href="data:,">${scripts.map((path) => `<script src="${basename(path)}"></script>`).join('')}`
  const server = createServer((request, response) => {
    const path = files.get(request.url ?? '')
    response.setHeader(
      'content-type',
      path === undefined ? 'text/html' : path.endsWith('.js') ? 'text/javascript' : 'application/octet-stream'
    )
    void (path === undefined ? Promise.resolve(page) : readFile(path)).then((body) => response.end(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('safetensors are named as Keras names layers, and have the shapes of Keras', async (t) => {
  const { path, folder } = await (made.get('cnn') as Promise<Case>)
  const [file] = await exportModel(path, { out: join(folder, 'keras'), format: 'safetensors' })
  const bytes = await readFile(file)
  const length = safetensorsHeaderLength(bytes, bytes.length)
  const { places, metadata } = decodeSafetensorsHeader(bytes.subarray(8, 8 + length), bytes.length)
  t.deepEqual(
    places.map(({ name, shape }) => `${name} ${shape.join('×')}`),
    [
      'conv2d/kernel 5×5×1×8',
      'conv2d/bias 8',
      'conv2d_1/kernel 3×3×8×16',
      'conv2d_1/bias 16',
      'dense/kernel 144×10',
      'dense/bias 10'
    ]
  )
  t.like(JSON.parse(metadata.murmuration), {
    outputs: 'probabilities',
    signature: { inputShape: [12, 12, 1], classes: 10, preprocessing: { kind: 'image' } }
  })
})

test.serial('murmur predict prints names and probabilities, and says which file it cannot take', async (t) => {
  const given = await (made.get('mlp') as Promise<Case>)
  const [first] = await ours(given)
  const lines = await murmur(['predict', given.path, ...given.pictures, '--json'], given.folder).result
  const predictions = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, never>)
  t.is(lines.code, 0, lines.stderr)
  t.deepEqual(
    predictions.map(({ kind, from }) => [kind, from]),
    given.pictures.map((picture) => ['prediction', picture])
  )
  const [{ name, probability }] = predictions[0].classes as readonly {
    readonly name: string
    readonly probability: number
  }[]
  t.deepEqual([name, probability], [String(first.indexOf(Math.max(...first))), Math.max(...first)])
  const wrong = join(given.folder, 'wrong.csv')
  await writeFile(wrong, '1,2,3\n')
  const refused = await murmur(['predict', given.path, given.pictures[0], wrong], given.folder).result
  t.is(refused.code, 2)
  t.regex(refused.stdout, new RegExp(`0\\.png: ${name} \\d+\\.\\d %, `))
  t.regex(refused.stderr, /wrong\.csv: the model takes images of 12 × 12 pixels; give PNG or JPEG files/)
})
