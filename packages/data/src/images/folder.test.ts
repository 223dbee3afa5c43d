import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import { encode } from 'fast-png'
import { createTar } from 'nanotar'
import test, { type ExecutionContext } from 'ava'
import { openFiles } from '../files.js'
import { cifarSource } from '../files/cifar.js'
import { inputsIn } from '../inputs.js'
import { signatureOf } from '../signature.js'
import type { Source } from '../source.js'

/** An image of one colour. */
const plain = (width: number, height: number, [red, green, blue]: readonly number[]) =>
  encode({
    width,
    height,
    channels: 3,
    data: Uint8Array.from({ length: 3 * width * height }, (_, k) => [red, green, blue][k % 3])
  })

const grey = [51, 51, 51]
const light = [204, 204, 204]
const coral = [255, 127, 80]

async function folder(files: Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'murmur-pictures-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}

function inputOf(source: Source, index: number): number[] {
  const out = new Float32Array(source.inputShape.reduce((product, extent) => product * extent, 1))
  source.read(index, out)
  return [...out].map((value) => Math.round(255 * value))
}

test('the folders of a folder are the classes, in the order of their names; hidden files are left aside', async (t) => {
  const path = await folder({
    'dog/b.png': plain(2, 1, light),
    'cat/a.png': plain(2, 1, grey),
    'dog/a.png': plain(2, 1, grey),
    'dog/.DS_Store': ''
  })
  const source = await openFiles({ kind: 'files', path })
  t.like(source, {
    count: 3,
    classes: 2,
    classNames: ['cat', 'dog'],
    inputShape: [1, 2, 1],
    preprocessing: { kind: 'image' }
  })
  t.deepEqual([...source.targets], [0, 1, 1])
  t.deepEqual(
    [0, 1, 2].map((index) => inputOf(source, index)),
    [
      [51, 51],
      [51, 51],
      [204, 204]
    ]
  )
  const numbered = await openFiles({
    kind: 'files',
    path: await folder({ '10/a.png': plain(1, 1, grey), '9/a.png': plain(1, 1, grey) })
  })
  t.deepEqual(
    [numbered.classNames, [...numbered.targets]],
    [
      ['9', '10'],
      [1, 0]
    ]
  )
})

test('an image with colours gives all of them three channels; size scales them to squares, as in predictions', async (t) => {
  const path = await folder({ 'a/1.png': plain(4, 2, grey), 'b/2.png': plain(1, 3, coral) })
  await t.throwsAsync(openFiles({ kind: 'files', path }), {
    instanceOf: InputError,
    message: /b\/2\.png has 1 × 3 pixels, .*a\/1\.png 4 × 2; .*size: 64/
  })
  const source = await openFiles({ kind: 'files', path, size: 2 })
  t.deepEqual(source.inputShape, [2, 2, 3])
  t.deepEqual(inputOf(source, 1), [...coral, ...coral, ...coral, ...coral])
  const [{ values }] = await inputsIn(join(path, 'b/2.png'), signatureOf(source))
  t.deepEqual(
    [...values].map((value) => Math.round(255 * value)),
    inputOf(source, 1)
  )
})

test('images fit a common test set: its size, its channels and its classes', async (t) => {
  const like = { inputShape: [1, 1, 1], classNames: ['ant', 'bee', 'cat'] }
  const path = await folder({ 'cat/1.png': plain(3, 3, coral) })
  const source = await openFiles({ kind: 'files', path }, { like })
  t.like(source, { inputShape: [1, 1, 1], classes: 3, classNames: like.classNames })
  t.deepEqual([[...source.targets], inputOf(source, 0)], [[2], [160]])
  const unknown = openFiles({ kind: 'files', path: await folder({ 'dog/1.png': plain(1, 1, grey) }) }, { like })
  await t.throwsAsync(unknown, {
    instanceOf: InputError,
    message: /dog\/1\.png is of the class "dog", which the test set does not have; it has ant, bee, cat/
  })
})

test('what is no image among images, or is damaged, is refused by name; other data come first', async (t) => {
  const mixed = await folder({ 'a/1.png': plain(1, 1, grey), 'a/notes.txt': '' })
  await t.throwsAsync(openFiles({ kind: 'files', path: mixed }), {
    instanceOf: InputError,
    message: /a\/notes\.txt is not an image by its name/
  })
  const damaged = await folder({ 'a/1.png': plain(1, 1, grey), 'a/2.jpg': 'text', 'b/1.png': plain(1, 1, grey) })
  await t.throwsAsync(openFiles({ kind: 'files', path: damaged }), {
    instanceOf: InputError,
    message: /a\/2\.jpg: is neither PNG nor JPEG/
  })
  const table = await folder({ 'rows.csv': '1,0\n2,1\n', 'pictures/1.png': plain(1, 1, grey) })
  t.deepEqual((await openFiles({ kind: 'files', path: table })).inputShape, [1])
  await t.throwsAsync(openFiles({ kind: 'files', path: await folder({ 'a/notes.txt': '' }) }), {
    message: /or a folder of images/
  })
})

const image = plain(1, 1, grey)
const refused = async (t: ExecutionContext, path: string, message: RegExp) =>
  void (await t.throwsAsync(openFiles({ kind: 'files', path }), { instanceOf: InputError, message }))

test('a link to a folder or to an image counts as what it leads to, and one that leads nowhere is refused', async (t) => {
  const store = await folder({ 'bird/1.png': image, 'one.png': image })
  const path = await folder({ 'cat/1.png': image })
  await symlink(join(store, 'bird'), join(path, 'bird'))
  await symlink(join(store, 'one.png'), join(path, 'cat/2.png'))
  t.like(await openFiles({ kind: 'files', path }), { count: 3, classNames: ['bird', 'cat'] })
  await symlink(join(store, 'lost'), join(path, 'dog'))
  await refused(t, path, /dog cannot be read \(ENOENT.*expected a folder of images; remove the link, or mend it/)
})

test('images of one class are refused where the classes are theirs', async (t) => {
  const path = await folder({ 'cat/1.png': image, 'cat/2.png': image })
  await refused(t, path, /: all 2 images are of the class "cat", expected at least two folders of images/)
  const like = { inputShape: [1, 1, 1], classes: 2, classNames: ['cat', 'dog'] }
  t.deepEqual([...(await openFiles({ kind: 'files', path }, { like })).targets], [0, 0])
})

test('a table beside folders of images is refused', async (t) => {
  for (const name of ['metadata.csv', 'labels.csv.gz', 'a.parquet'])
    await refused(
      t,
      await folder({ 'a/1.png': image, 'b/1.jpg': image, [name]: '1,0\n2,1' }),
      /found a table and images/
    )
})

test('a table beside the parts of a data set of images is refused', async (t) => {
  const path = await folder({ 'train/a/1.png': image, 'train/b/1.png': image, 'rows.csv': '1,0\n2,1' })
  await refused(t, path, /rows\.csv and .*train\/a: found a table and images/)
})

test('packed images beside folders of images are refused', async (t) => {
  const path = await folder({ 'a/1.png': image, 'b/1.png': image, 't10k-images-idx3-ubyte': '' })
  await refused(t, path, /found packed images and folders of images/)
})

test('a folder whose name is not UTF-8 is refused', async (t) => {
  const path = await folder({ 'a/1.png': image })
  const name = Buffer.concat([Buffer.from(`${path}/M`), Buffer.of(0xe4), Buffer.from('rta')])
  // Some systems have only names in UTF-8.
  const isMade = await mkdir(name).then(
    () => true,
    () => false
  )
  if (isMade) await refused(t, path, /has a file or folder whose name is not UTF-8/)
  else t.pass()
})

test('the parts of a data set are no classes', async (t) => {
  const nested = await folder({ 'train/cat/1.png': image, 'train/dog/1.png': image, 'val/cat/1.png': image })
  await refused(t, nested, /has the parts train, val of a data set.*data: \{ path: .*train \}/)
  await refused(t, await folder({ 'train/1.png': image, 'Test/1.png': image }), /has the parts Test, train/)
  t.is((await openFiles({ kind: 'files', path: join(nested, 'train') })).classes, 2)
})

test('a class has one name in all normal forms of Unicode', async (t) => {
  const path = await folder({ 'cafe\u0301/1.png': image, 'tea/1.png': image })
  t.deepEqual((await openFiles({ kind: 'files', path })).classNames, ['café', 'tea'])
  const like = { inputShape: [1, 1, 1], classes: 2, classNames: ['tea', 'café'] }
  t.deepEqual([...(await openFiles({ kind: 'files', path }, { like })).targets], [1, 0])
})

test('images in other formats are refused with what helps', async (t) => {
  await refused(
    t,
    await folder({ 'a/1.webp': '', 'b/1.webp': '' }),
    /a\/1\.webp is not an image.*convert it to PNG or JPEG/
  )
  await refused(t, await folder({ 'a/1.HEIC': '', 'b/1.png': image }), /a\/1\.HEIC is not an image.*convert it to PNG/)
})

test('CIFAR-10: the batches of the archive, planes of red, green and blue', async (t) => {
  const record = (label: number, colours: readonly number[]) =>
    Uint8Array.from([label, ...colours.flatMap((value) => Array<number>(1024).fill(value))])
  const entry = (name: string, ...records: Uint8Array[]) => ({
    name: `cifar-10-batches-bin/${name}`,
    data: new Uint8Array(Buffer.concat(records))
  })
  const archive = createTar([
    entry('test_batch.bin', record(9, [1, 2, 3])),
    entry('data_batch_2.bin', record(0, [4, 5, 6])),
    entry('data_batch_1.bin', record(3, [255, 0, 128]), record(4, [7, 8, 9])),
    { name: 'cifar-10-batches-bin/readme.html', data: 'read me' }
  ])
  const path = await folder({ 'cifar-10-binary.tar.gz': gzipSync(archive) })
  const source = await openFiles({ kind: 'files', path })
  t.like(source, { count: 4, inputShape: [32, 32, 3], classes: 10, preprocessing: { kind: 'image' } })
  t.deepEqual(
    [...source.targets].map((target) => source.classNames?.[target]),
    ['cat', 'deer', 'airplane', 'truck']
  )
  t.deepEqual(inputOf(source, 0).slice(0, 6), [255, 0, 128, 255, 0, 128])
  t.deepEqual(inputOf(source, 3).slice(-3), [1, 2, 3])
  const refuses = (data: Uint8Array, message: RegExp) =>
    t.throws(() => cifarSource('x.tar', data), { instanceOf: InputError, message })
  refuses(createTar([{ name: 'a', data: 'b' }]), /has no data_batch_1\.bin/)
  refuses(createTar([entry('data_batch_1.bin', record(1, [1]))]), /1025 bytes, expected a multiple of 3073/)
  refuses(createTar([entry('data_batch_1.bin', record(10, [1, 2, 3]))]), /class 10, expected one below 10/)
})
