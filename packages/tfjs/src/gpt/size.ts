/** The size of a GPT. */
export interface GptSize {
  /** The number of blocks, each of attention and a perceptron. */
  readonly layers: number
  /** How many numbers represent a character; a multiple of `heads`. */
  readonly width: number
  readonly heads: number
}

/** The maximum characters of a sample: attention has a number for each pair of them. */
export const maxContext = 4096
