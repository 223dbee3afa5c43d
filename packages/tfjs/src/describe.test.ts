import test from 'ava'
import { chooseBackend } from './backend.js'
import { describe } from './describe.js'
import { buildModel, type ModelDescription } from './model.js'
import type { UserModule } from './user-module.js'

const context = { inputShape: [28, 28, 1], targetShape: [], classes: 10, options: undefined }

async function said(description: ModelDescription, module?: UserModule): Promise<string> {
  await chooseBackend('cpu')
  return describe(description, await buildModel(description, context, module))
}

test.serial('a perceptron is the widths of its layers', async (t) => {
  t.is(await said({ kind: 'mlp', hidden: [128] }), 'mlp 784-128-10, 101,770 parameters')
  t.is(await said({ kind: 'mlp', hidden: [] }), 'mlp 784-10, 7,850 parameters')
})

test.serial('a convolutional network is its windows, strides and filters', async (t) => {
  t.is(await said({ kind: 'cnn' }), 'cnn 5×5/2×8, 3×3×16, dense 10, 9,226 parameters')
})

test.serial(
  "a user's model is its file and the layers that have weights, the middle ones of many left out",
  async (t) => {
    const description = { kind: 'module', path: 'examples/my-task.js' } as const
    const few = await said(description, {
      createModel: ({ layers, sequential }, { inputShape }) =>
        sequential({
          layers: [
            layers.depthwiseConv2d({ inputShape: [...inputShape], kernelSize: 5, strides: 2 }),
            layers.flatten(),
            layers.dense({ units: 10 })
          ]
        })
    })
    t.is(few, 'my-task.js: DepthwiseConv2D, Dense, 1,476 parameters')
    const many = await said(description, {
      createModel: ({ layers, sequential }, { inputShape }) =>
        sequential({
          layers: [
            layers.flatten({ inputShape: [...inputShape] }),
            layers.layerNormalization(),
            ...[1, 1, 1, 1, 10].map((units) => layers.dense({ units }))
          ]
        })
    })
    t.is(many, 'my-task.js: LayerNormalization, Dense, Dense, …, Dense, 2,379 parameters')
  }
)
