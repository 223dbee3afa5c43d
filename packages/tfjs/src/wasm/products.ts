import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import { invariant } from '@murmuration/core'
import { instantiate } from '@murmuration/vectors/wasm'
import { products } from './modules.js'
import { runtimeOf, Scratch } from './runtime.js'

/**
 * The functions of assembly/products.ts, which describes their arguments: addresses and lengths in bytes, and counts.
 */
interface ProductKernels {
  multiply(
    rows: number,
    count: number,
    terms: number,
    length: number,
    panels: number,
    next: number,
    step: number,
    columns: number,
    out: number,
    stride: number,
    adds: boolean,
    spare: number
  ): void
  tabulate(
    table: number,
    first: number,
    count: number,
    address: number,
    rows: number,
    columns: number,
    planeStride: number,
    rowStride: number,
    columnStride: number
  ): void
  pack(
    source: number,
    termStride: number,
    columnStride: number,
    terms: number,
    columns: number,
    panels: number,
    panelBytes: number
  ): void
  frame(
    source: number,
    target: number,
    images: number,
    height: number,
    width: number,
    pixel: number,
    top: number,
    left: number,
    newHeight: number,
    newWidth: number
  ): void
  finish(out: number, stride: number, rows: number, columns: number, bias: number, min: number, max: number): void
}

/**
 * Addresses in the backend's memory along three axes: planes of rows of columns. Strides in bytes; the number of planes
 * is unbounded.
 */
export interface Grid {
  readonly address: number
  readonly rows: number
  readonly columns: number
  readonly planeStride: number
  readonly rowStride: number
  readonly columnStride: number
}

/** Addresses that are `stride` bytes apart. */
export function row(address: number, columns: number, stride: number): Grid {
  return { address, rows: 1, columns, planeStride: 0, rowStride: 0, columnStride: stride }
}

/**
 * The left factor of a product, with that many rows and terms, stored row by row, or, where it is transposed, term by
 * term.
 */
export function leftFactor(address: number, rows: number, terms: number, isTransposed = false): Product['left'] {
  const [rowStride, termStride] = isTransposed ? [4, 4 * rows] : [4 * terms, 4]
  return { rows: row(address, rows, rowStride), terms: row(0, terms, termStride) }
}

/**
 * The right factor of a product, with that many terms and columns, stored term by term, or, where it is transposed,
 * column by column.
 */
export function rightFactor(address: number, terms: number, columns: number, isTransposed = false): Product['right'] {
  return { address, termStride: isTransposed ? 4 : 4 * columns, columnStride: isTransposed ? 4 * terms : 4 }
}

/**
 * `left` is [rows, terms], `right` [terms, columns], and the product is written to the address `out`, row by row. The
 * address of the element [r, k] of `left` is the sum of its grids' addresses at r and at k; that of `right` follows
 * from strides, in bytes.
 */
export interface Product {
  readonly left: { readonly rows: Grid; readonly terms: Grid }
  readonly right: { readonly address: number; readonly termStride: number; readonly columnStride: number }
  readonly rows: number
  readonly terms: number
  readonly columns: number
  readonly out: number
  /** Whether it is added to the present content. */
  readonly adds?: boolean
}

/**
 * Images [images, height, width, pixel / 4] to copy into images of zeros of another size, at an offset from their first
 * row and column; `top` and `left` may be negative.
 */
export interface Frame {
  readonly source: number
  readonly target: number
  readonly images: number
  readonly height: number
  readonly width: number
  /** The length of a pixel in bytes. */
  readonly pixel: number
  readonly top: number
  readonly left: number
  readonly newHeight: number
  readonly newWidth: number
}

/**
 * The last step of a product: adds the numbers at the address `bias`, unless that is 0, to each of its rows, and clamps
 * the result to `least` … `most`.
 */
export interface Finish {
  readonly bias: number
  readonly min: number
  readonly max: number
}

/**
 * How many terms are summed from zero before the sum is added to the previous ones: the left and the right factor of a
 * tile stay in the first-level cache, and the error of long sums grows only with the number of chunks.
 */
const chunkTerms = 256

/** Columns of packed panels at a time: with a whole chunk they take half a MiB, which fits the second-level cache. */
const blockColumns = 512

/** Rows of the left factor at a time. */
const blockRows = 1024

/** For this many rows, or fewer, packing does not pay. */
const fewRows = 16

/** Panels of 8 columns: a panel begins `next` bytes after the previous one, and its rows lie `step` bytes apart. */
interface Panels {
  readonly address: number
  readonly next: number
  readonly step: number
}

const panelBytes = 4 * chunkTerms * blockColumns
const tableBytes = 4 * (Math.max(blockRows, chunkTerms) + 4)
const spareBytes = 4 * 5 * 8

const cached = new WeakMap<BackendWasm, Products>()

/**
 * Products of matrices, computed in the memory of TensorFlow.js's WASM backend, which contains its tensors: nothing is
 * copied to or from it. About half a MiB of it is reserved for each backend.
 */
export class Products {
  readonly #kernels: ProductKernels
  readonly #memory: WebAssembly.Memory
  readonly #panels: number
  readonly #rows: number
  readonly #terms: number
  readonly #spare: number
  /** Memory for factors that are not in tensors. */
  readonly scratch: Scratch

  private constructor(backend: BackendWasm) {
    const runtime = runtimeOf(backend)
    const { memory, malloc } = runtime
    this.#memory = memory
    this.scratch = new Scratch(runtime)
    this.#kernels = instantiate(products, memory)
    this.#panels = malloc(panelBytes + 2 * tableBytes + spareBytes) >>> 0
    invariant(this.#panels !== 0, 'the WASM backend has no memory left for the products of matrices')
    this.#rows = this.#panels + panelBytes
    this.#terms = this.#rows + tableBytes
    this.#spare = this.#terms + tableBytes
  }

  /** The products of this backend. */
  static of(backend: BackendWasm): Products {
    const products = cached.get(backend) ?? new Products(backend)
    cached.set(backend, products)
    return products
  }

  /**
   * Computes one product. Each element is the sum over chunks of 256 terms, in their order, of the sums of their terms
   * in their order.
   */
  multiply(product: Product): void {
    const { rows, terms, columns, out, adds = false } = product
    if (terms === 0 && !adds) new Float32Array(this.#memory.buffer, out, rows * columns).fill(0)
    for (let term = 0; term < terms; term += chunkTerms) {
      const length = Math.min(chunkTerms, terms - term)
      this.#tabulate(this.#terms, product.left.terms, term, length)
      for (let column = 0; column < columns; column += blockColumns) {
        this.#addBlock(product, term, length, column, Math.min(blockColumns, columns - column))
      }
    }
  }

  /**
   * Adds the contribution of the terms from `term` on, `length` of them, to the columns from `column` on, `width` of
   * them.
   */
  #addBlock(product: Product, term: number, length: number, column: number, width: number): void {
    const { left, rows, columns, out, adds = false } = product
    const { address, next, step } = this.#panelsOf(product, term, length, column, width)
    for (let row = 0; row < rows; row += blockRows) {
      const count = Math.min(blockRows, rows - row)
      this.#tabulate(this.#rows, left.rows, row, count)
      const element = out + 4 * (row * columns + column)
      const rowTable = this.#rows
      const termTable = this.#terms
      const spare = this.#spare
      const stride = 4 * columns
      const isLater = adds || term > 0
      this.#kernels.multiply(
        rowTable,
        count,
        termTable,
        length,
        address,
        next,
        step,
        width,
        element,
        stride,
        isLater,
        spare
      )
    }
  }

  /** A block of the right factor as panels: packed, or, for few rows, in place, if its columns are contiguous. */
  #panelsOf({ right, rows }: Product, term: number, length: number, column: number, width: number): Panels {
    const { termStride, columnStride } = right
    const source = right.address + term * termStride + column * columnStride
    if (rows <= fewRows && columnStride === 4 && width % 8 === 0) return { address: source, next: 32, step: termStride }
    const next = 32 * length
    this.#kernels.pack(source, termStride, columnStride, length, width, this.#panels, next)
    return { address: this.#panels, next, step: 32 }
  }

  #tabulate(table: number, grid: Grid, first: number, count: number): void {
    const { address, rows, columns, planeStride, rowStride, columnStride } = grid
    this.#kernels.tabulate(table, first, count, address, rows, columns, planeStride, rowStride, columnStride)
  }

  /** Copies images into larger or smaller ones; what does not fit is omitted. */
  frame({ source, target, images, height, width, pixel, top, left, newHeight, newWidth }: Frame): void {
    this.#kernels.frame(source, target, images, height, width, pixel, top, left, newHeight, newWidth)
  }

  /** Finishes `rows` rows of `columns` numbers from the address `out` on. */
  finish(out: number, rows: number, columns: number, { bias, min, max }: Finish): void {
    this.#kernels.finish(out, 4 * columns, rows, columns, bias, min, max)
  }
}
