import type { DecodedImage } from './decoded-image.js'

const orientationTag = 0x0112
const entryBytes = 12
const valueAt = 8

/** The orientations that mirror the columns, and those that mirror the rows. */
const mirrorsColumns = [2, 3, 7, 8]
const mirrorsRows = [3, 4, 6, 7]
/** The first orientation that swaps rows and columns, as all later ones do. */
const firstSwapped = 5

/**
 * How an image is stored, 1 to 8, in the words of EXIF (CIPA DC-008, tag Orientation); 1 for upright, and where it does
 * not say.
 *
 * @param exif - in the format of TIFF, from its byte order mark on
 */
export function orientationIn(exif: Uint8Array): number {
  const isLittle = exif[0] === 0x49
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength)
  const at = (offset: number) => (offset + 2 <= view.byteLength ? view.getUint16(offset, isLittle) : 0)
  const first = view.byteLength < 8 ? view.byteLength : view.getUint32(4, isLittle)
  for (let entry = 0; entry < at(first); entry++) {
    const offset = first + 2 + entry * entryBytes
    if (offset + entryBytes > view.byteLength) return 1
    const orientation = at(offset + valueAt)
    if (at(offset) === orientationTag) return orientation >= 1 && orientation <= 8 ? orientation : 1
  }
  return 1
}

/** An image as viewers show it. */
export function upright(image: DecodedImage, orientation: number): DecodedImage {
  if (orientation === 1) return image
  const isSwapped = orientation >= firstSwapped
  const [width, height] = isSwapped ? [image.height, image.width] : [image.width, image.height]
  const rgb = new Uint8Array(image.rgb.length)
  for (let y = 0, place = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [across, down] = isSwapped ? [y, x] : [x, y]
      const column = mirrorsColumns.includes(orientation) ? image.width - 1 - across : across
      const row = mirrorsRows.includes(orientation) ? image.height - 1 - down : down
      const pixel = 3 * (row * image.width + column)
      for (let colour = 0; colour < 3; colour++) rgb[place++] = image.rgb[pixel + colour]
    }
  return { width, height, rgb }
}
