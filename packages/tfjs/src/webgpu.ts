/** The WebGPU backend: it computes through Dawn's bindings for Node.js, on a GPU of any vendor. */
import { InputError } from '@murmuration/core'
import { registerOrderedKernels } from './kernels/index.js'
import { core, loadWebgpuBackend, loadWebgpuBindings } from '#tfjs/packages.js'

const { engine, setBackend } = core

/** What is used of a WebGPU device and its adapter. */
interface Device {
  readonly lost: Promise<{ readonly message: string }>
  addEventListener(type: 'uncapturederror', listener: (event: DeviceError) => void): void
}
interface DeviceError extends Event {
  readonly error: { readonly message: string }
}

/** The parts of TensorFlow.js's backend that are used here. */
interface WebgpuBackend {
  readonly device: Device
  readonly adapterInfo: { readonly description?: string; readonly vendor?: string; readonly architecture?: string }
  readonly tensorMap: { get(id: object): { readonly values?: unknown; readonly resource?: unknown } }
  hasReadSyncWarned: boolean
  readSync(id: object): unknown
}

let started: Promise<string> | undefined
let failure: string | undefined

/**
 * Starts the backend. Resolves with the name of its adapter: a GPU, or a driver that computes in software. Rejects
 * where a package is missing, or no driver has an adapter.
 */
export function startWebgpu(): Promise<string> {
  started ??= start().catch((error: unknown) => {
    started = undefined
    throw error
  })
  return started
}

/**
 * Throws an {@link InputError} once the device has failed: it reports that apart from its results, which are then zeros
 * or garbage.
 */
export function checkDevice(): void {
  if (failure === undefined) return
  throw new InputError(
    `the WebGPU device failed: ${failure}; use a smaller batch or model, or another backend, such as wasm`
  )
}

async function start(): Promise<string> {
  const { create, globals } = await loadWebgpuBindings()
  const gpu = create([])
  if ((await gpu.requestAdapter()) === null)
    throw new Error('found no GPU with a driver for Vulkan, Metal or Direct3D 12')
  // Where the backend looks for them, in browsers. The instance has to stay: without it, no read ends.
  Object.assign(globalThis, globals)
  addToNavigator(gpu)
  loadWebgpuBackend()
  registerOrderedKernels()
  if (!(await setBackend('webgpu'))) throw new Error('TensorFlow.js does not start it')
  return prepare(engine().findBackend('webgpu') as unknown as WebgpuBackend)
}

/** Adds `navigator.gpu`. Node.js 20 has no `navigator`; TensorFlow.js also asks it for the name of the browser. */
function addToNavigator(gpu: unknown): void {
  const navigator = Reflect.get(globalThis, 'navigator') as object | undefined
  if (navigator !== undefined) Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true })
  else Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'Node.js' }, configurable: true })
}

/** Makes errors known that would otherwise go unnoticed. Returns the adapter's name. */
function prepare(backend: WebgpuBackend): string {
  const { device, adapterInfo, tensorMap } = backend
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault()
    failure ??= event.error.message.trim().split('\n')[0].replace(/\.$/, '')
  })
  void device.lost.then(({ message }) => (failure ??= `it is lost: ${message}`))
  const readSync = backend.readSync.bind(backend)
  backend.readSync = (id) => {
    const { values, resource } = tensorMap.get(id)
    if ((values ?? undefined) !== undefined || (resource ?? undefined) === undefined) return readSync(id)
    throw new InputError(
      'on the backend webgpu a tensor cannot be read with dataSync, arraySync or the like; compute with tensors, or use another backend, such as wasm'
    )
  }
  const { description = '', vendor = '', architecture = '' } = adapterInfo
  return description || `${vendor} ${architecture}`.trim()
}
