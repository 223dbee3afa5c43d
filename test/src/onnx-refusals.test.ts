/** Layers that ONNX would compute differently from TensorFlow.js are not exported. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { exportModel } from '@murmuration/experiment/models'
import test from 'ava'
import { savedModel } from './saved-model.js'

for (const [what, layers, message] of [
  ['a flattening', "layers.flatten({ dataFormat: 'channelsFirst' }).apply(input)", /has its channels first/],
  [
    'a global pooling',
    "layers.globalMaxPooling2d({ dataFormat: 'channelsFirst' }).apply(input)",
    /has its channels first/
  ],
  [
    'a sum over other numbers of axes',
    'layers.flatten().apply(layers.add().apply([input, layers.reshape({ targetShape: [1, 12] }).apply(layers.globalAveragePooling2d({}).apply(layers.conv2d({ filters: 12, kernelSize: 3 }).apply(input)))]))',
    /adds values of 4 and 3 axes/
  ]
] as const)
  test(`${what} that ONNX would compute otherwise is refused`, async (t) => {
    const { folder } = await savedModel({ kind: 'mlp', hidden: [1] }, { kind: 'mlp', hidden: [1] })
    const task = join(folder, 'own.mjs')
    await writeFile(
      task,
      `export const createModel = ({ layers, input: inputOf, model }, { inputShape, classes }) => {
        const input = inputOf({ shape: inputShape })
        return model({ inputs: input, outputs: layers.dense({ units: classes, activation: 'softmax' }).apply(${layers}) })
      }`
    )
    const { path } = await savedModel({ module: task }, { kind: 'module', path: task })
    await t.throwsAsync(exportModel(path, { out: join(folder, 'onnx'), format: 'onnx', task }), {
      instanceOf: InputError,
      message
    })
  })
