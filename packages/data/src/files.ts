import { InputError, invariant, messageOf } from '@murmuration/core'
import { basename, dirname, join, namesIn, stateOf } from '#data/files/disk.js'
import { downloadAll } from '#data/files/download.js'
import type { DataDescription, Fit } from './samples.js'
import type { Source } from './source.js'
import { imageFolders, imagesIn, imageSource } from './images/folder.js'
import { type Checksums, sumOf, sumsOf, verifiedSums } from './files/checksums.js'
import { type DataFile, readData, type ReadFile } from './files/data-file.js'
import { maxTextsBytes, type TextFile, textSource, type TextReading } from './text/text.js'
import { type IdxFile, idxSource } from './files/idx.js'
import { libsvmFilesIn } from './files/libsvm-content.js'
import { openLibsvm, openTables } from './files/open-tables.js'
import type { TableReading } from './files/table.js'
import { isTable, tableNames } from './files/table-names.js'
import { fetchKnownSet, type KnownSet, type KnownSetName, knownSetNames, knownSets } from './files/known-sets.js'

type FilesDescription = Extract<DataDescription, { kind: 'files' }>

const imagesName = /^(.*)images[-.]idx3-ubyte(\.gz)?$/
const labelsName = /^(.*)labels[-.]idx1-ubyte(\.gz)?$/
const cifarName = /^cifar-10-binary\.tar(\.gz)?$/
const textName = /\.txt(\.gz)?$/i

/** How files are read. */
export interface FilesReading {
  /** 'numbers' for targets of tables that are real values; classes by default. */
  readonly targets?: TableReading['targets']
  /** The number of characters in a sample of a text. */
  readonly context?: TextReading['context']
  /** Samples that these have to fit. */
  readonly like?: Fit
}

/**
 * Opens a data set: such a folder, such files, or the URL of either. A folder may have IDX files (all pairs of images
 * and labels are concatenated), CSV, Parquet or LIBSVM files (concatenated in the order of their names), the archive of
 * CIFAR-10, a folder of images for each class, or texts (also concatenated). Decoders of CSV, tar and images are loaded
 * only when needed. Throws an {@link InputError} that says what was looked for.
 */
export async function openFiles(
  { path, sha256, mustMatch = false, size, target, ignore }: FilesDescription,
  { targets, like, context }: FilesReading = {}
): Promise<Source> {
  const paths = typeof path === 'string' ? [path] : path
  const files = (await Promise.all(paths.map((each) => filesOf(each, sha256)))).flat()
  await refuseSeveralKinds(paths, files)
  const sums =
    sha256 || mustMatch ? await verifiedSums(await filesRead(paths, files), { sha256, mustMatch }) : undefined
  const bytesOf: ReadFile = (file, limit) => readData(file, { sha256: sums?.get(file.path), limit })
  const packed = await openPacked(files, bytesOf)
  if (packed !== undefined) {
    if (like === undefined) refuseOneClass(packed, files)
    return packed
  }
  const tables = await openTables(files, bytesOf, { targets, target, ignore, like })
  if (tables !== undefined) return tables
  const imageFiles = (await Promise.all(paths.map(imagesOf))).flat()
  if (imageFiles.length > 0) return imageSource(imageFiles, bytesOf, { size, like })
  const texts = await openTexts(files, bytesOf, { context, like })
  if (texts !== undefined) return texts
  const unnamed = await libsvmFilesIn(files)
  if (unnamed.length > 0) return openLibsvm(unnamed, bytesOf, { targets, target, ignore, like })
  throw noData(paths, files)
}

/**
 * The SHA-256 of the files that a run reads of a folder, or of a file and its partner: the value of `sha256` in files.
 *
 * @throws InputError for a path without data
 */
export async function checksumOf(path: string): Promise<{ readonly sha256: string; readonly files: number }> {
  const all = await localFiles(path)
  await refuseSeveralKinds([path], all)
  const files = await filesRead([path], all)
  if (files.length === 0) throw noData([path], all)
  return { sha256: sumOf(files, await sumsOf(files)), files: files.length }
}

/** The files that {@link openFiles} reads, in the order in which it does. */
async function filesRead(paths: readonly string[], files: readonly DataFile[]): Promise<readonly DataFile[]> {
  const pairs = pairsOf(files)
  if (pairs.length > 0) return pairs.flat()
  for (const pattern of [cifarName, ...tableNames]) {
    const found = files.filter(({ name }) => pattern.test(name))
    if (found.length > 0) return found
  }
  const images = (await Promise.all(paths.map(imagesOf))).flat()
  if (images.length > 0) return images
  const texts = files.filter(({ name }) => textName.test(name))
  return texts.length > 0 ? texts : libsvmFilesIn(files)
}

function noData(paths: readonly string[], files: readonly DataFile[]): InputError {
  return new InputError(
    `${paths.join(', ')} has no data that can be read (found: ${namesOf(files)}); ` +
      'expected X-images-idx3-ubyte with X-labels-idx1-ubyte, a .csv, .libsvm, .svm, .svmlight or .txt file, each also as .gz, ' +
      "a file in LIBSVM's format of any other name, a .parquet file, cifar-10-binary.tar.gz, " +
      'or a folder of images (PNG, JPEG) for each class'
  )
}

/**
 * Throws an InputError where tables, packed images and folders of images are side by side: each may be meant. One
 * folder of images is no data set.
 */
async function refuseSeveralKinds(paths: readonly string[], files: readonly DataFile[]): Promise<void> {
  const table = files.find(({ name }) => isTable(name))
  const packed = files.find(({ name }) => prefixOf(name) !== undefined || cifarName.test(name))
  if (table === undefined && packed === undefined) return
  const folders = await Promise.all(paths.map(async (path) => ((await isFolder(path)) ? imageFolders(path) : [])))
  const [folder, other] = folders.flat()
  const [first, second] = [table?.path, packed?.path, other && folder].filter((each) => each !== undefined)
  if (second === undefined) return
  const found = table === undefined ? 'packed images and folders of images' : 'a table and images'
  throw new InputError(
    `${first} and ${second}: found ${found}, expected one of them; name the file that you mean, or move one of them to another folder`
  )
}

/** Throws an InputError where all images are of one class: then every model is right. */
function refuseOneClass({ count, targets }: Source, files: readonly DataFile[]): void {
  if (count < 2 || targets.some((target) => target !== targets[0])) return
  throw new InputError(
    `${files[0].path}: all ${count} images are of class ${targets[0]}, expected at least two classes`
  )
}

/**
 * Data sets whose files hold many images: pairs of IDX files, or the archive of CIFAR-10; nothing where there are none.
 */
async function openPacked(files: readonly DataFile[], bytesOf: ReadFile): Promise<Source | undefined> {
  const pairs = pairsOf(files)
  if (pairs.length > 0) return openPairs(pairs, bytesOf)
  const [archive, other] = files.filter(({ name }) => cifarName.test(name))
  if (other !== undefined)
    throw new InputError(`${archive.path} and ${other.path}: found two archives of CIFAR-10, expected one`)
  if (archive === undefined) return undefined
  const { cifarSource } = await import('./files/cifar.js')
  return cifarSource(archive.path, await bytesOf(archive))
}

/** All texts, one after the other; nothing where there are none. */
async function openTexts(
  files: readonly DataFile[],
  bytesOf: ReadFile,
  reading: TextReading
): Promise<Source | undefined> {
  const texts = files.filter(({ name }) => textName.test(name))
  if (texts.length === 0) return undefined
  const read: TextFile[] = []
  let bytesLeft = maxTextsBytes
  for (const file of texts) {
    const bytes = await bytesOf(file, bytesLeft)
    bytesLeft -= bytes.length
    read.push({ name: file.path, bytes })
  }
  return textSource(read, reading)
}

async function imagesOf(path: string): Promise<readonly DataFile[]> {
  return (await isFolder(path)) ? imagesIn(path) : []
}

async function isFolder(path: string): Promise<boolean> {
  return (await stateOf(path).catch(() => undefined))?.kind === 'folder'
}

/** Opens a data set by its name. Throws an {@link InputError} when it is neither cached nor can be fetched. */
export async function openKnownSet(name: KnownSetName, { context }: FilesReading = {}): Promise<Source> {
  const set: KnownSet = knownSets[name]
  const files = await fetchKnownSet(name, set)
  const bytesOf: ReadFile = (file, limit) => readData(file, { sha256: set.sha256[file.name], limit })
  const source = (await openPacked(files, bytesOf)) ?? (await openTexts(files, bytesOf, { context }))
  invariant(source !== undefined, () => `the data set ${name} has no files of a known format`)
  return source
}

async function filesOf(path: string, sha256: Checksums = {}): Promise<readonly DataFile[]> {
  if (!isUrl(path)) return localFiles(path)
  if (typeof sha256 !== 'string') return downloadAll(path, sha256)
  throw new InputError(
    `${path}: found one SHA-256, expected that of each file by its name, since a URL does not list its files: sha256: { file: hex }`
  )
}

const isUrl = (path: string) => /^[a-z]+:\/\//i.test(path)

async function openPairs(pairs: readonly (readonly [DataFile, DataFile])[], bytesOf: ReadFile): Promise<Source> {
  const read = async (file: DataFile): Promise<IdxFile> => ({ name: file.path, bytes: await bytesOf(file) })
  return idxSource(
    await Promise.all(
      pairs.map(async ([images, labels]) => ({ images: await read(images), labels: await read(labels) }))
    )
  )
}

/** The files of a folder in the order of their names; for an IDX file, the file and its partner; or the file alone. */
async function localFiles(path: string): Promise<readonly DataFile[]> {
  const { kind } = await stateOf(path).catch((error: unknown) => {
    throw new InputError(
      `${path} cannot be read: ${messageOf(error)}; expected a folder, a file or a URL with data, or one of digits, ${knownSetNames.join(', ')}`
    )
  })
  if (kind === 'folder') return filesIn(path)
  const name = basename(path)
  const prefix = prefixOf(name)
  if (prefix === undefined) return [{ name, path }]
  return (await filesIn(dirname(path))).filter((file) => prefixOf(file.name) === prefix)
}

async function filesIn(folder: string): Promise<readonly DataFile[]> {
  const names = new Set([...(await namesIn(folder))].sort())
  // A packed file with an unpacked copy would count twice.
  const isCopy = (name: string) => name.endsWith('.gz') && names.has(name.slice(0, -'.gz'.length))
  return [...names].flatMap((name) => (isCopy(name) ? [] : { name, path: join(folder, name) }))
}

/** The prefix before `images-…` or `labels-…`: `train-`, `t10k-`. */
function prefixOf(name: string): string | undefined {
  return (imagesName.exec(name) ?? labelsName.exec(name))?.[1]
}

/**
 * Images and their labels, matched by prefix: where several files share a prefix, as from several folders, the first
 * with the first.
 */
function pairsOf(all: readonly DataFile[]): readonly (readonly [DataFile, DataFile])[] {
  const files = [...new Map(all.map((file) => [file.path, file])).values()]
  const prefixes = new Set(files.flatMap(({ name }) => prefixOf(name) ?? []))
  return [...prefixes].flatMap((prefix) => {
    const images = files.filter(({ name }) => imagesName.exec(name)?.[1] === prefix)
    const labels = files.filter(({ name }) => labelsName.exec(name)?.[1] === prefix)
    if (images.length === labels.length) return images.map((each, index) => [each, labels[index]] as const)
    const [unmatched, missing] =
      images.length < labels.length ? [labels, 'images-idx3-ubyte'] : [images, 'labels-idx1-ubyte']
    throw new InputError(
      `${unmatched[unmatched.length - 1].path} has no partner: expected ${prefix}${missing} or ${prefix}${missing}.gz next to it`
    )
  })
}

function namesOf(files: readonly DataFile[]): string {
  const names = files.map(({ name }) => name)
  return names.length === 0 ? 'nothing' : `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
}
