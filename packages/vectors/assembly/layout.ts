// The layout of the memory of the codecs' kernels, in bytes. JavaScript reads these numbers from the module.

/**
 * How many numbers kernels take at a time: a multiple of the length of a group of integers, and few enough to stay in
 * the cache.
 */
export const blockLength: i32 = 8192

/** A block of numbers to encode, or of decoded ones. */
export const numbers: usize = 0
/** The reference of the same numbers. */
export const reference: usize = numbers + 4 * blockLength
/** A block as in a body; or the selected numbers and their places, 8 bytes for each. */
export const codes: usize = reference + 4 * blockLength
/** A histogram: a counter (uint32) for each bin. */
export const histogramLength: i32 = 4096
export const histogram: usize = codes + 8 * blockLength
/** Four integers, the largest of which is the largest |x| as bits: of a float32 number without its sign. */
export const largest: usize = histogram + 4 * histogramLength
/** The state of the random generator: four vectors of four integers. */
export const randomState: usize = largest + 16
/** An integer: the address behind the last selected number. */
export const selectedEnd: usize = randomState + 64
