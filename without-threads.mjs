/** A plugin for esbuild that leaves out the program of TensorFlow.js's threads, which a page never starts. */
export const withoutThreads = {
  name: 'without threads',
  setup({ onLoad }) {
    const contents = `export const wasmWorkerContents = ''
      export default () => { throw new Error('this page has no threads for WebAssembly') }`
    onLoad({ filter: /tfjs-backend-wasm-threaded-simd(\.worker)?\.js$/ }, () => ({ contents }))
  }
}
