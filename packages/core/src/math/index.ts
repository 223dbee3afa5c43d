/**
 * Functions whose last digits the language leaves to the engine, here by +, −, ×, ÷, √ and bits alone, so that all
 * peers have the same ones. `exp`, `expm1`, `log`, `log1p`, `sin` and `cos` have the bits of Math in Node 20 to 24.
 */
export { exponentOf } from './bits.js'
export { exp, expm1 } from './exponential.js'
export { expOfNegative } from './exponential-table.js'
export { tanh } from './hyperbolic.js'
export { hypot } from './hypotenuse.js'
export { log, log1p } from './logarithm.js'
export { pow } from './power.js'
export { cos, cosOfTurns, sin } from './trigonometry.js'
