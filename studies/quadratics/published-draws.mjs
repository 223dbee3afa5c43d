// The problems of the published runs, number by number, so that theirs and ours differ in nothing but the program:
// PyTorch's random stream for a seed (Mersenne Twister, Matsumoto and Nishimura 1998; normal numbers by Box and Muller,
// in the order in which PyTorch 1.8 fills a tensor of float64), and the authors' order of draws: all A_i, the
// directions of the peers' optima, the direction of the common one.
import { Matrix, SingularValueDecomposition, solve } from 'ml-matrix'
import { mersenne } from 'pure-rand/generator/mersenne'

/** A stream of uniform numbers of 53 bits. */
function uniforms(seed) {
  const generator = mersenne(seed)
  const word = () => generator.next() >>> 0
  return () => {
    const high = word() & 0x1fffff
    return (high * 2 ** 32 + word()) / 2 ** 53
  }
}

/**
 * Sixteen by sixteen: eight radii, then the eight angles that go with them. What is left over takes the last sixteen
 * places anew.
 */
function manyNormals(count, uniform) {
  const out = Float64Array.from({ length: count }, uniform)
  const turn = (start) => {
    for (let i = start; i < start + 8; i++) {
      const radius = Math.sqrt(-2 * Math.log(1 - out[i]))
      const angle = 2 * Math.PI * out[i + 8]
      out[i] = radius * Math.cos(angle)
      out[i + 8] = radius * Math.sin(angle)
    }
  }
  for (let start = 0; start + 16 <= count; start += 16) turn(start)
  if (count % 16 !== 0) {
    for (let i = count - 16; i < count; i++) out[i] = uniform()
    turn(count - 16)
  }
  return out
}

/** Two by two: the angle is drawn first. */
function fewNormals(count, uniform) {
  const out = []
  while (out.length < count) {
    const angle = 2 * Math.PI * uniform()
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    out.push(radius * Math.cos(angle), radius * Math.sin(angle))
  }
  return out.slice(0, count)
}

const normals = (count, uniform) => (count < 16 ? fewNormals : manyNormals)(count, uniform)

/** H_i of each peer, how far its optimum is from the common one, and the common one. */
export function publishedProblem({ peers, dimension, mu, heterogeneity, distance, seed }) {
  const uniform = uniforms(seed)
  const all = normals(peers * dimension ** 2, uniform)
  const centres = normals(peers * dimension, uniform)
  const towards = normals(dimension, uniform)
  const values = Array.from({ length: dimension }, (_, k) => (mu + (k * (1 - mu)) / (dimension - 1)) ** 2)
  const part = (list, i, length) => list.subarray(i * length, (i + 1) * length)
  const hessians = Array.from({ length: peers }, (_, i) => {
    const A = Matrix.from1DArray(dimension, dimension, part(all, i, dimension ** 2))
    const { rightSingularVectors: V } = new SingularValueDecomposition(A)
    return V.mmul(Matrix.diag(values)).mmul(V.transpose())
  })
  const offsets = scaled(
    hessians,
    hessians.map((_, i) => part(centres, i, dimension)),
    heterogeneity
  )
  const optimum = towards.map((value) => (value * distance) / Math.hypot(...towards))
  return { hessians: hessians.map((hessian) => hessian.to1DArray()), offsets, optimum }
}

/** What each centre c_i is off the optimum of the mean, scaled until the mean of ‖H_i c_i‖² is ζ². */
function scaled(hessians, centres, heterogeneity) {
  const sum = (matrices) => matrices.reduce((total, matrix) => Matrix.add(total, matrix))
  const times = (hessian, vector) => hessian.mmul(Matrix.columnVector(vector))
  const common = solve(sum(hessians), sum(hessians.map((hessian, i) => times(hessian, centres[i])))).to1DArray()
  const offsets = centres.map((centre) => centre.map((value, k) => value - common[k]))
  const squares = offsets.map((offset, i) => times(hessians[i], offset).norm() ** 2)
  const scale = scaleFor(heterogeneity, squares.reduce((total, square) => total + square, 0) / squares.length)
  return offsets.map((offset) => offset.map((value) => value * scale))
}

/**
 * Of which the square times `unit` is ζ², to 1e-5: halving an interval, as the authors do, which may move a count by a
 * step.
 */
function scaleFor(heterogeneity, unit) {
  let low = 0
  let high = Infinity
  let scale = heterogeneity === 0 ? 0 : 1
  while (Math.abs(unit * scale ** 2 - heterogeneity) > 1e-5) {
    if (unit * scale ** 2 < heterogeneity) low = scale
    else high = scale
    scale = high === Infinity ? 2 * scale : (low + high) / 2
  }
  return scale
}
