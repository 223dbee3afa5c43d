import { type Backend, chooseBackend, onBackend } from './backend.js'
import { core } from '#tfjs/packages.js'

const { matMul, ones, tidy } = core

/** The backend in use, and how fast it multiplies. */
export interface BackendSpeed extends Backend {
  /** 10⁹ multiplications and additions per second. */
  readonly gigaflops: number
}

const side = 256

/** Multiplies matrices on the best backend that loads, for a few tenths of a second. Rejects where none loads. */
export async function measure(): Promise<BackendSpeed> {
  const backend = await chooseBackend()
  return { ...backend, gigaflops: await onBackend(backend.name, gigaflops) }
}

function gigaflops(): number {
  const product = () => tidy(() => void matMul(ones([side, side]), ones([side, side])).dataSync())
  product()
  const start = performance.now()
  let count = 0
  while (performance.now() - start < 200) {
    product()
    count++
  }
  return (2 * side * side * side * count) / (performance.now() - start) / 1e6
}
