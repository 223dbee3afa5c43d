/** How large a GPT is. */
export interface GptSize {
  /** How many blocks of attention and perceptron follow each other. */
  readonly layers: number
  /** How many numbers stand for a character; a multiple of `heads`. */
  readonly width: number
  readonly heads: number
}

/** The most characters of a sample: attention has a number for each pair of them. */
export const maxContext = 4096
