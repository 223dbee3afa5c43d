/** TensorFlow.js in a worker, whose WebAssembly is a file beside it. */
const wasm = new URL('./tfjs-backend-wasm-simd.wasm', import.meta.url).href

/** Loads the module of its tasks. */
export async function loadTfjsTask(): Promise<unknown> {
  await placeWasm()
  return import('@murmuration/tfjs/task')
}

/** Tells TensorFlow.js where its WebAssembly is. */
export async function placeWasm(): Promise<void> {
  const { setWasmUrl } = await import('@murmuration/tfjs/page')
  setWasmUrl(wasm)
}
