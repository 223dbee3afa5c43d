// What lies where in the memory of the codecs' kernels, in bytes. JavaScript reads these numbers from the module.

/** How many numbers kernels take at a time: a multiple of the length of an int8 group, and few enough to stay in the cache. */
export const blockLength: i32 = 8192

/** A block of numbers: those to encode, or those that were decoded. */
export const numbers: usize = 0
/** The reference of the same numbers. */
export const reference: usize = numbers + 4 * blockLength
/** A block as it is in a body, or the numbers that were selected and their places: 8 bytes for each. */
export const codes: usize = reference + 4 * blockLength
/** A histogram: a counter (uint32) for each bin. */
export const histogramLength: i32 = 4096
export const histogram: usize = codes + 8 * blockLength
/** Four integers, the largest of which is the largest |x| as bits: of a float32 number without its sign. */
export const largest: usize = histogram + 4 * histogramLength
/** The state of the random numbers: four vectors of four integers. */
export const randomState: usize = largest + 16
/** An integer: the address behind the last number that was selected. */
export const selectedEnd: usize = randomState + 64
