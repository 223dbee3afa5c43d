/** Folders of images, one folder per class. */
import { InputError, messageOf } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import { dirname, join, namesIn, stateOf } from '#data/files/disk.js'
import type { DataFile, ReadFile } from '../files/data-file.js'
import type { Source } from '../source.js'
import type { DecodedImage } from './decoded-image.js'
import { fitted, isGrey } from './fit.js'
import { converted, otherImageName } from './formats.js'
import { decodedOnce, type Pixels } from './kept-images.js'

const imageName = /\.(png|jpe?g)$/i

/** How images are read. */
export interface ImageReading {
  /** The edge in pixels of the square to which all are scaled. */
  readonly size?: number | undefined
  /** The shape and the classes of samples that these have to fit; they then determine both. */
  readonly like?: Pick<Source, 'inputShape' | 'classNames'> | undefined
}

type Size = Pick<DecodedImage, 'height' | 'width'>

/** The maximum bytes of the file of an image: 256 MiB. */
const maxImageBytes = 2 ** 28

/** The maximum bytes of all images together, after scaling: 1 GiB. */
const maxBytes = 2 ** 30

/** Folders of parts of a data set; none is a class. */
const partNames: readonly string[] = ['train', 'training', 'val', 'valid', 'validation', 'dev', 'test', 'testing']

const isPart = (name: string) => partNames.includes(name.toLowerCase())

/** The names of the subfolders of a folder that have images, in order; a link counts as the folder that it leads to. */
async function classFolders(folder: string): Promise<readonly string[]> {
  const names = await visibleIn(folder)
  const have = await Promise.all(names.map((name) => hasImages(join(folder, name))))
  return names.filter((_, index) => have[index])
}

/** The folders of images in a folder, also those in its parts, such as `train`. */
export async function imageFolders(folder: string): Promise<readonly string[]> {
  const parts = (await foldersIn(folder)).filter(isPart)
  const nested = await Promise.all(
    parts.map(async (part) => (await classFolders(join(folder, part))).map((name) => join(folder, part, name)))
  )
  return [...(await classFolders(folder)).map((name) => join(folder, name)), ...nested.flat()]
}

/**
 * The images in the subfolders of a folder, each named `CLASS/FILE`, in the order of their names; none where it has no
 * subfolders. Throws an {@link InputError} for what is no image, and for what is no class.
 */
export async function imagesIn(folder: string): Promise<readonly DataFile[]> {
  await refuseParts(folder)
  if ((await classFolders(folder)).length === 0) return []
  await refuseLostLinks(folder)
  const classes = await foldersIn(folder)
  const all = await Promise.all(
    classes.map(async (name) => {
      const names = await visibleIn(join(folder, name))
      return names.map((file) => ({ name: `${name}/${file}`, path: join(folder, name, file) }))
    })
  )
  const files = all.flat()
  const other = files.find(({ name }) => !imageName.test(name))
  if (other === undefined) return files
  const remedy = otherImageName.test(other.name) ? `; ${converted}` : ''
  throw new InputError(
    `${other.path} is not an image by its name; expected only .png, .jpg or .jpeg files in the folders of the classes${remedy}`
  )
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const names = await visibleIn(folder)
  const are = await Promise.all(names.map((name) => isFolder(join(folder, name))))
  return names.filter((_, index) => are[index])
}

/** The names in a folder without the hidden ones, in order. Throws an {@link InputError} for one that is not UTF-8. */
async function visibleIn(folder: string): Promise<readonly string[]> {
  const names = (await namesIn(folder)).filter((name) => !name.startsWith('.')).sort()
  const wrong = names.find((name) => name.includes('\uFFFD'))
  if (wrong === undefined) return names
  throw new InputError(`${folder} has a file or folder whose name is not UTF-8 (${wrong}); give it another name`)
}

async function isFolder(path: string): Promise<boolean> {
  return (await stateOf(path).catch(() => undefined))?.kind === 'folder'
}

async function hasImages(path: string): Promise<boolean> {
  const names = (await isFolder(path)) ? await namesIn(path) : []
  return names.some((name) => !name.startsWith('.') && (imageName.test(name) || otherImageName.test(name)))
}

/** Throws an {@link InputError} for a link that leads nowhere: it may be a class. */
async function refuseLostLinks(folder: string): Promise<void> {
  for (const name of await visibleIn(folder))
    await stateOf(join(folder, name)).catch((error: unknown) => {
      throw new InputError(
        `${join(folder, name)} cannot be read (${messageOf(error)}), expected a folder of images; remove the link, or mend it`
      )
    })
}

/** Throws an {@link InputError} for a folder with the parts of a data set in place of classes. */
async function refuseParts(folder: string): Promise<void> {
  const folders = await foldersIn(folder)
  if (folders.length === 0 || !folders.every(isPart)) return
  const first = join(folder, folders.find((name) => name.toLowerCase().startsWith('train')) ?? folders[0])
  const inFolders = await Promise.all(folders.map((name) => classFolders(join(folder, name))))
  if (inFolders.flat().length === 0 && !(await hasImages(first))) return
  throw new InputError(
    `${folder} has the parts ${folders.join(', ')} of a data set, expected one folder for each class; give one part, data: { path: ${first} }, and another one as test`
  )
}

/**
 * The samples of images whose folders are their classes: numbered in the order of their names, as numbers where all
 * are. With `size` they are scaled to squares; without it, all must have the same size. They are grey where all are,
 * else of three colours. Throws an {@link InputError} that names the file which does not fit.
 */
export async function imageSource(
  files: readonly DataFile[],
  bytesOf: ReadFile,
  { size, like }: ImageReading
): Promise<Source> {
  const labels = files.map(({ name }) => name.slice(0, name.indexOf('/')).normalize())
  const classNames = like?.classNames ?? inOrder([...new Set(labels)])
  const numbers = new Map(classNames.map((name, number) => [name.normalize(), number]))
  if (like === undefined && classNames.length === 1 && files.length > 1) throw oneClass(files, labels[0])
  const unknown = labels.findIndex((label) => !numbers.has(label))
  if (unknown >= 0)
    throw new InputError(
      `${files[unknown].path} is of the class "${labels[unknown]}", which the test set does not have; it has ${classNames.slice(0, 10).join(', ')}`
    )
  const form = [size, like?.inputShape]
  const { inputShape, pixels } = await decodedOnce(files, form, () => scaled(files, bytesOf, { size, like }))
  const length = sizeOf(inputShape)
  return {
    count: files.length,
    inputShape,
    targetShape: [],
    targets: Float32Array.from(labels, (label) => numbers.get(label) ?? 0),
    classes: classNames.length,
    classNames,
    preprocessing: { kind: 'image' },
    read: (index, out) => {
      for (let pixel = 0; pixel < length; pixel++) out[pixel] = pixels[index * length + pixel] / 255
    }
  }
}

function oneClass(files: readonly DataFile[], label: string): InputError {
  const folder = dirname(dirname(files[0].path))
  return new InputError(
    `${folder}: all ${files.length} images are of the class "${label}", expected at least two folders of images, one for each class`
  )
}

function inOrder(names: readonly string[]): readonly string[] {
  const areNumbers = names.every((name) => /^\d+$/.test(name))
  return [...names].sort(areNumbers ? (left, right) => Number(left) - Number(right) : undefined)
}

/** All images one after the other; first in three colours where only the last may tell whether all are grey. */
async function scaled(files: readonly DataFile[], bytesOf: ReadFile, { size, like }: ImageReading): Promise<Pixels> {
  const { decodeImage } = await import('./decode.js')
  const decoded = async (file: DataFile) => decodeImage(file.path, await bytesOf(file, maxImageBytes))
  let image: DecodedImage | undefined = await decoded(files[0])
  const first = { width: image.width, height: image.height }
  // Samples of another kind are refused when the two are combined.
  const fixedShape = like?.inputShape.length === 3 ? like.inputShape : undefined
  const [height, width, channels] = fixedShape ?? [size ?? first.height, size ?? first.width]
  const shape = [height, width, channels ?? 3]
  if (files.length * sizeOf(shape) > maxBytes)
    throw new InputError(
      `${files.length} images of ${height} × ${width} pixels take more than ${maxBytes} bytes; give a smaller size in the training file: data: { path: …, size: 64 }`
    )
  const pixels = new Uint8Array(files.length * sizeOf(shape))
  let areGrey = true
  for (const [position, file] of files.entries()) {
    image ??= await decoded(file)
    if (size === undefined && fixedShape === undefined) checkSize(file, image, files[0], first)
    areGrey &&= isGrey(image)
    pixels.set(fitted(image, shape), position * sizeOf(shape))
    // Its memory is free for the next one.
    image = undefined
  }
  const becomesGrey = channels === undefined && areGrey
  return becomesGrey ? { inputShape: [height, width, 1], pixels: inGrey(pixels) } : { inputShape: shape, pixels }
}

/** One channel of pixels of which all three are alike. */
function inGrey(rgb: Uint8Array): Uint8Array {
  const grey = new Uint8Array(rgb.length / 3)
  for (let pixel = 0; pixel < grey.length; pixel++) grey[pixel] = rgb[3 * pixel]
  return grey
}

function checkSize(file: DataFile, { width, height }: Size, first: DataFile, expected: Size): void {
  if (width === expected.width && height === expected.height) return
  throw new InputError(
    `${file.path} has ${width} × ${height} pixels, ${first.path} ${expected.width} × ${expected.height}; to scale all to squares, give the size in the training file: data: { path: …, size: 64 }`
  )
}
