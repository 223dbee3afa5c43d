import { InputError } from '@murmuration/core'
import { getBackend } from '@tensorflow/tfjs-core'
import test from 'ava'
import { backendFor, chooseBackend, onBackend } from './backend.js'
import { backendChoiceFor } from './lazy.js'
import { bestBackend } from './task.test.support.js'

test.serial('the best backend that is installed computes, and the reason says what is not installed', async (t) => {
  const { name, reason } = await chooseBackend()
  t.is(name, bestBackend)
  t.is(
    reason,
    name === 'wasm'
      ? 'tfjs-node-gpu is not installed, tfjs-node is not installed; so WebAssembly computes'
      : 'tfjs-node-gpu is not installed; so tfjs-node computes'
  )
})

test.serial('a backend that is asked for computes', async (t) => {
  t.deepEqual(await chooseBackend('wasm'), { name: 'wasm', reason: 'WebAssembly was requested' })
  t.deepEqual(await chooseBackend('cpu'), { name: 'cpu', reason: 'plain JavaScript was requested' })
  t.is(getBackend(), 'cpu')
  t.is(await onBackend('wasm', getBackend), 'wasm')
})

test.serial('a trained model that WebAssembly has no room for is computed in plain JavaScript', async (t) => {
  t.is((await backendFor(2 ** 28)).name, bestBackend)
  t.is((await backendFor(2 ** 28 + 1)).name, bestBackend === 'wasm' ? 'cpu' : bestBackend)
  t.is(await backendChoiceFor(1e6), 'auto')
  t.is(await backendChoiceFor(6e8), bestBackend === 'wasm' ? 'cpu' : 'auto')
})

test.serial('a backend that is asked for and is not installed is an error that says so', async (t) => {
  const error = await t.throwsAsync(chooseBackend('gpu'), { instanceOf: InputError })
  t.is(
    error?.message,
    'backend "gpu" cannot be used: tfjs-node-gpu is not installed; run "npm install @tensorflow/tfjs-node-gpu@4.22.0", or use "auto" for the best that works'
  )
  const other = await t.throwsAsync(chooseBackend('webgpu'), { instanceOf: InputError })
  t.is(
    other?.message,
    'backend "webgpu" cannot be used: WebGPU is not installed; run "npm install webgpu @tensorflow/tfjs-backend-webgpu@4.22.0", or use "auto" for the best that works'
  )
})

test.serial('starting leaves no listeners for the errors of the process behind', async (t) => {
  const count = () => process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection')
  const before = count()
  await chooseBackend('wasm')
  t.is(count(), before)
})
