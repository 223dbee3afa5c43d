import { latin1In } from '../files/bytes.js'

/** Formats of images that are not decoded, by the bytes at an offset. */
const formats: readonly (readonly [string, number, RegExp])[] = [
  ['WebP', 8, /^WEBP/],
  ['AVIF', 4, /^ftypavi[fs]/],
  ['HEIC', 4, /^ftyp(hei|hev|mif1|msf1)/],
  ['GIF', 0, /^GIF8/],
  ['TIFF', 0, /^(II\*\0|MM\0\*)/],
  ['BMP', 0, /^BM/]
]

/** Names of files in these formats. */
export const otherImageName = /\.(webp|avif|hei[cf]|gif|tiff?|bmp)$/i

/** What to do with an image that is not decoded. */
export const converted = 'convert it to PNG or JPEG, for example with ImageMagick: magick FILE FILE.png'

/** What a file is that is neither PNG nor JPEG. */
export function formatOf(bytes: Uint8Array): string {
  const head = latin1In(bytes, 0, 32)
  return formats.find(([, at, begin]) => begin.test(head.slice(at)))?.[0] ?? 'neither PNG nor JPEG'
}
