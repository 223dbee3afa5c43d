/** A decoded image: rows of pixels from the top, each of 8-bit red, green and blue. */
export interface DecodedImage {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8Array
}
