import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { convertIndexedToRgb, decode as decodePng } from 'fast-png'
import { inputsIn } from '../inputs.js'
import { decodeImage } from './decode.js'
import { fitted, isGrey } from './fit.js'

/**
 * Images of 5 × 3 pixels as Pillow 13 writes them: value v = 50 x + 10 y, RGB (v, 255 − v, 3 v) modulo 256, every third
 * pixel white, a palette of three in turn; and JPEG images of 16 × 12 pixels, (10 x, 20 y, 100), of quality 90, and of
 * its grey, progressive.
 */
const files = {
  grey: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAAAAAB+XZokAAAAFUlEQVR4nGNkMDIyMmLi4uLi4oKQAA30ATLlszY6AAAAAElFTkSuQmCC',
  rgb: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAADUVFKvAAAAGElEQVR4nGNk+M9gdG4aHDFxfZNDRuh8ANNFEonXGd9ZAAAAAElFTkSuQmCC',
  rgba: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAYAAABbNsX4AAAAHElEQVR4nGNk+M/ga3RuGgMyZuL6JseAjrEKAgCA/hLWlgUpJQAAAABJRU5ErkJggg==',
  one: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADAQAAAABzTfhVAAAADklEQVR4nGOYwODBoAAAA84A+Roaf/wAAAAASUVORK5CYII=',
  palette:
    'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADAgMAAAAmWC1rAAAACVBMVEUKFB4oMjz6AAWbh5IxAAAAEUlEQVR4nGOU0GBoY2BMlAcABWwBSVRopGEAAAAASUVORK5CYII=',
  sixteen: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADEAAAAAAuzUZnAAAAE0lEQVR4nGNkYDCCAiYuOEBiAgAyhAJev8AAagAAAABJRU5ErkJggg==',
  jpeg:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFB' +
    'QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAMABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF' +
    'BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmq' +
    'KjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC' +
    'AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqK' +
    'mqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD5S0T4J/d/0f8ASu/0T4Kfd/0f9K+lNF8KaaNv7mu/0Twrp3y/uK8vH8X4jXc/N+EePMV7' +
    'u5//2Q==',
  jpeggrey:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/wgALCAAMABABAREA/8QAFgABAQEAAA' +
    'AAAAAAAAAAAAAABwUG/9oACAEBAAAAASjQJV//xAAXEAEBAQEAAAAAAAAAAAAAAAADAAQF/9oACAEBAAEFAh4kPFhynDlO/8QAFhABAQEAAAAAAAAAAAAAAAAAADEy/9oACAEBAAY/Assoj//EABYQ' +
    'AQEBAAAAAAAAAAAAAAAAAAAhMf/aAAgBAQABPyHIzJ2Z/9oACAEBAAAAEJ//xAAXEAADAQAAAAAAAAAAAAAAAAAAAfEQ/9oACAEBAAE/EJBMEsK//9k='
}

const image = (kind: keyof typeof files) => decodeImage(`${kind}.png`, Buffer.from(files[kind], 'base64'))
const all = <Value>(value: (x: number, y: number, place: number) => Value) =>
  Array.from({ length: 15 }, (_, place) => value(place % 5, Math.floor(place / 5), place))
const shade = (x: number, y: number) => 50 * x + 10 * y

test('PNG: grey, colours, transparency, palettes, 1, 2, 8 and 16 bits', (t) => {
  const greys = all((x, y) => [shade(x, y), shade(x, y), shade(x, y)])
  const colours = all((x, y) => [shade(x, y), 255 - shade(x, y), (3 * shade(x, y)) % 256])
  const expected = {
    grey: greys,
    sixteen: greys,
    rgb: colours,
    rgba: colours,
    one: all((_x, _y, place) => Array<number>(3).fill(place % 3 === 0 ? 255 : 0)),
    palette: all(
      (_x, _y, place) =>
        [
          [10, 20, 30],
          [40, 50, 60],
          [250, 0, 5]
        ][place % 3]
    )
  }
  for (const [kind, pixels] of Object.entries(expected) as [keyof typeof expected, number[][]][]) {
    const { width, height, rgb } = image(kind)
    t.deepEqual([width, height], [5, 3], kind)
    t.deepEqual([...rgb], pixels.flat(), kind)
  }
  t.deepEqual(
    (['grey', 'one', 'rgb'] as const).map((kind) => isGrey(image(kind))),
    [true, true, false]
  )
})

/** A PNG file of these chunks. */
function pngOf(...chunks: readonly (readonly [type: string, data: Uint8Array])[]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const length = Buffer.alloc(4)
    const checksum = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    checksum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, checksum])
  })
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

const ihdr = (edge: number, depth: number, type: number): readonly [string, Buffer] => {
  const header = Buffer.from('00000000000000000000000000', 'hex')
  for (const at of [0, 4]) header.writeUInt32BE(edge, at)
  header.set([depth, type], 8)
  return ['IHDR', header]
}

test('PNG: rows of each filter, of all kinds of pixels, are those of another decoder', (t) => {
  const random = createRandom(1, 'rows')
  const edge = 9
  const palette = Buffer.from(Array.from({ length: 768 }, () => random.integer(256)))
  for (const [type, channels] of [
    [0, 1],
    [2, 3],
    [3, 1],
    [4, 2],
    [6, 4]
  ])
    for (const depth of type === 3 ? [1, 2, 4, 8] : channels === 1 ? [1, 2, 4, 8, 16] : [8, 16]) {
      const length = Math.ceil((edge * channels * depth) / 8)
      const row = (y: number) => [y % 5, ...Array.from({ length }, () => random.integer(256))]
      const rows = Buffer.from(Array.from({ length: edge }, (_, y) => row(y)).flat())
      const bytes = pngOf(
        ihdr(edge, depth, type),
        ['PLTE', palette],
        ['IDAT', deflateSync(rows)],
        ['IEND', Buffer.alloc(0)]
      )
      const png = decodePng(bytes)
      const shade = (index: number) => {
        if (depth >= 8) return png.data[index] >> (depth - 8)
        const bit = (index % edge) * depth
        const byte = png.data[Math.floor(index / edge) * length + (bit >> 3)]
        return (((byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1)) * 255) / (2 ** depth - 1)
      }
      const expected = Array.from({ length: 3 * edge * edge }, (_, at) =>
        shade(Math.floor(at / 3) * channels + (channels > 2 ? at % 3 : 0))
      )
      const colours = type === 3 ? convertIndexedToRgb(png) : expected
      t.deepEqual([...decodeImage('x', bytes).rgb], [...colours], `type ${type}, ${depth} bits`)
    }
})

test('PNG: what takes too much memory, or has colours that there are not, is refused by its header', (t) => {
  const refused = (message: RegExp, header: readonly [string, Buffer]) =>
    t.throws(() => decodeImage('x', pngOf(header, ['IDAT', deflateSync(Buffer.alloc(9))], ['IEND', Buffer.alloc(0)])), {
      instanceOf: InputError,
      message
    })
  const interlaced = ihdr(6000, 16, 6)
  interlaced[1][12] = 1
  refused(/its pixels take 288000000 bytes, expected at most 134217728/, interlaced)
  refused(/colours of type 2 with 4 bits/, ihdr(2, 4, 2))
  refused(/colours of type 5 with 8 bits/, ihdr(2, 8, 5))
})

/**
 * A progressive JPEG file of a single colour with so many scans after the first one; its scans have nothing to decode
 * but one run of empty blocks.
 */
function progressiveJpeg(edge: number, components: number, scans: number): Buffer {
  const segment = (type: number, data: readonly number[]) => [
    ...[0xff, type, (data.length + 2) >> 8, (data.length + 2) & 255],
    ...data
  ]
  const table = (id: number, symbol: number) => segment(0xc4, [id, 1, ...Array<number>(15).fill(0), symbol])
  const each = (of: (id: number) => readonly number[]) => Array.from({ length: components }, (_, k) => of(k + 1)).flat()
  const size = [edge >> 8, edge & 255]
  return Buffer.from([
    ...[0xff, 0xd8, ...segment(0xdb, [0, ...Array<number>(64).fill(1)])],
    ...segment(0xc2, [8, ...size, ...size, components, ...each((id) => [id, 0x11, 0])]),
    ...[...table(0, 0), ...table(0x10, 0)],
    ...[...segment(0xda, [components, ...each((id) => [id, 0]), 0, 0, 0]), 0, 0],
    ...Array.from({ length: scans }, () => [...segment(0xda, [1, 1, 0, 1, 63, 0]), 0, 0]).flat(),
    ...[0xff, 0xd9]
  ])
}

test('JPEG: scans and blocks are counted before there is time or memory for them', (t) => {
  t.is(decodeImage('x', progressiveJpeg(8, 3, 97)).rgb.length, 192)
  const refused = (bytes: Buffer, message: RegExp) =>
    t.throws(() => decodeImage('x', bytes), { instanceOf: InputError, message })
  refused(progressiveJpeg(8, 3, 98), /its scans decode more than 100 components/)
  refused(progressiveJpeg(7000, 3, 1), /7000 × 7000 pixels of 3 components, 2296875 blocks, expected at most 1200000/)
  // What is between segments' ends, such as a preview, is no scan.
  const preview = progressiveJpeg(8, 3, 200)
  const length = [(preview.length + 2) >> 8, (preview.length + 2) & 255]
  const within = [Buffer.from([0xff, 0xd8, 0xff, 0xe1, ...length]), preview, progressiveJpeg(8, 1, 1).subarray(2)]
  t.is(decodeImage('x', Buffer.concat(within)).width, 8)
})

test('PNG: what unpacks to more than its size takes is refused, and profiles are not unpacked', (t) => {
  const size = (edge: number): readonly [string, Buffer] => {
    const header = Buffer.from('00000000000000000800000000', 'hex')
    for (const at of [0, 4]) header.writeUInt32BE(edge, at)
    return ['IHDR', header]
  }
  const head = size(1)
  const end = ['IEND', Buffer.alloc(0)] as const
  const pixels = (bytes: Uint8Array) => ['IDAT', deflateSync(bytes)] as const
  const one = pixels(Uint8Array.of(0, 7))
  const decode = (...chunks: readonly (readonly [string, Uint8Array])[]) => [...decodeImage('x', pngOf(...chunks)).rgb]
  t.deepEqual(decode(head, one, end), [7, 7, 7])
  const bomb = new Uint8Array(1 << 20)
  const refused = (message: RegExp, ...chunks: readonly (readonly [string, Uint8Array])[]) =>
    t.throws(() => decode(...chunks), { instanceOf: InputError, message })
  refused(/unpack to more than 4 bytes/, head, pixels(bomb), end)
  refused(/does not begin with its one header/, head, size(900), pixels(bomb), end)
  refused(/it is truncated/, head, one)
  // The decoder would fail to unpack it.
  t.deepEqual(decode(head, ['iCCP', Buffer.from('x\0\0no profile')], one, end), [7, 7, 7])
})

test('JPEG: colours and grey, but for how colours between samples are filled in as another decoder has them', (t) => {
  const near = (kind: 'jpeg' | 'jpeggrey', pixels: readonly (readonly number[])[]) => {
    const { width, height, rgb } = image(kind)
    t.deepEqual([width, height], [16, 12])
    const found = [0, 15, 11 * 16, 6 * 16 + 8].map((place) => [...rgb.subarray(3 * place, 3 * place + 3)])
    t.true(
      found.flat().every((value, k) => Math.abs(value - pixels.flat()[k]) <= 6),
      JSON.stringify(found)
    )
  }
  near('jpeg', [
    [0, 2, 93],
    [140, 6, 95],
    [12, 212, 106],
    [81, 120, 101]
  ])
  near(
    'jpeggrey',
    [11, 56, 140, 106].map((value) => [value, value, value])
  )
})

test('an image is scaled by the mean of what each pixel covers, and is grey by its luma', (t) => {
  const rgb = Uint8Array.from([0, 100, 200, 40, 80, 120].flatMap((value) => [value, value, value]))
  t.deepEqual([...fitted({ width: 3, height: 2, rgb }, [1, 3, 1])], [20, 90, 160])
  // The middle column counts half on either side: (0 + 50) / 1.5 = 33.3 and (200 + 50) / 1.5 = 166.7.
  t.deepEqual([...fitted({ width: 3, height: 2, rgb }, [2, 2, 1])], [33, 167, 53, 107])
  t.deepEqual([...fitted({ width: 1, height: 1, rgb: Uint8Array.of(200, 100, 50) }, [1, 1, 1])], [124])
  const primary = Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255)
  t.deepEqual([...fitted({ width: 3, height: 1, rgb: primary }, [1, 3, 1])], [76, 150, 29])
  t.deepEqual(
    [...fitted({ width: 1, height: 1, rgb: Uint8Array.of(200, 100, 50) }, [2, 1, 3])],
    [200, 100, 50, 200, 100, 50]
  )
})

test('what is no image, is damaged, or claims too much is refused by name', (t) => {
  const refuses = (bytes: Uint8Array, message: RegExp) =>
    t.throws(() => decodeImage('x.png', bytes), { instanceOf: InputError, message })
  const grey = Buffer.from(files.grey, 'base64')
  refuses(Buffer.from('text'), /^x\.png: is neither PNG nor JPEG, expected PNG or JPEG/)
  refuses(Buffer.from('GIF89a'), /^x\.png: is GIF, expected PNG or JPEG; convert it/)
  refuses(Buffer.from('RIFF\0\0\0\0WEBPVP8 '), /^x\.png: is WebP, expected/)
  refuses(Buffer.from('\0\0\0\x18ftypheic'), /^x\.png: is HEIC, expected/)
  refuses(grey.subarray(0, 45), /^x\.png: cannot be decoded/)
  const huge = Buffer.from(grey)
  huge.writeUInt32BE(100_000, 16)
  huge.writeUInt32BE(100_000, 20)
  refuses(huge, /100000 × 100000 pixels, expected at most 50 million/)
  const interlaced = Buffer.from(files.one, 'base64')
  interlaced[28] = 1
  refuses(interlaced, /interlaced with 1 bits per pixel/)
  refuses(Buffer.from(files.jpeg, 'base64').subarray(0, 100), /^x\.png: cannot be decoded/)
})

test('rows of CSV: columns by their names in any order, else by their number', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-inputs-'))
  const signature = { inputShape: [2], targetShape: [], preprocessing: { kind: 'numbers', names: ['a', 'b'] } } as const
  const read = async (text: string, named = true) => {
    const path = join(folder, 'rows.csv')
    await writeFile(path, text)
    const inputs = await inputsIn(path, {
      ...signature,
      preprocessing: { kind: 'numbers', ...(named && { names: ['a', 'b'] }) }
    })
    return inputs.map(({ from, values }) => [from.replace(path, ''), ...values])
  }
  t.deepEqual(await read('b,label,a\n2,x,1\n4,y,3\n'), [
    [':2', 1, 2],
    [':3', 3, 4]
  ])
  t.deepEqual(await read('1,2\n'), [[':1', 1, 2]])
  t.deepEqual(await read('p,class,q\n1,x,2\n', false), [[':2', 1, 2]])
  await t.throwsAsync(read('a,c\n1,2\n'), {
    instanceOf: InputError,
    message: /line 1 has no column b; the model takes a, b/
  })
  await t.throwsAsync(read('1,\n3,4\n', false), {
    instanceOf: InputError,
    message: /line 1, column 2 is "", expected a number/
  })
  await t.throwsAsync(read('1,2,3\n'), {
    instanceOf: InputError,
    message: /line 1 has 3 columns; the model takes 2 numbers/
  })
  await t.throwsAsync(read('a,b\n1,x\n'), {
    instanceOf: InputError,
    message: /line 2, column 2 \("b"\) is "x", expected a number/
  })
  const image = { ...signature, inputShape: [1, 1, 1], preprocessing: { kind: 'image' } } as const
  await t.throwsAsync(inputsIn(join(folder, 'rows.csv'), image), {
    message: /the model takes images of 1 × 1 pixels/
  })
})

/** A segment of a JPEG file. */
const segment = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.of(0xff, type, (content.length + 2) >> 8, (content.length + 2) & 255), content])

/** EXIF with one entry, in the byte order of Motorola or of Intel. */
function exif(orientation: number, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(26)
  const word = (value: number, at: number) =>
    isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at)
  bytes.write(isLittle ? 'II' : 'MM')
  word(42, 2)
  if (isLittle) bytes.writeUInt32LE(8, 4)
  else bytes.writeUInt32BE(8, 4)
  for (const [value, at] of [
    [1, 8],
    [0x0112, 10],
    [3, 12],
    [orientation, 18]
  ])
    word(value, at)
  return bytes
}

const begin = 2
const jfifBytes = 18
const jpegFile = Buffer.from(files.jpeg, 'base64')
const withSegments = (...segments: Buffer[]) =>
  Buffer.concat([jpegFile.subarray(0, begin), ...segments, jpegFile.subarray(begin + jfifBytes)])

/** The pixel that an upright image shows at the left above, right above and left below, by what is stored there. */
const corners = ['0 0', '15 0', '15 11', '0 11', '0 0', '0 11', '15 11', '15 0']

test('an image is upright as its EXIF says, in both byte orders, in JPEG and in PNG', (t) => {
  const stored = decodeImage('a.jpg', jpegFile)
  const pixel = ({ rgb, width }: typeof stored, x: number, y: number) => [...rgb.slice(3 * (y * width + x)).slice(0, 3)]
  for (const isLittle of [true, false])
    for (const [index, corner] of corners.entries()) {
      const content = Buffer.concat([Buffer.from('Exif\0\0'), exif(index + 1, isLittle)])
      const shown = decodeImage('a.jpg', withSegments(segment(0xe1, content)))
      const [x, y] = corner.split(' ').map(Number)
      t.deepEqual(pixel(shown, 0, 0), pixel(stored, x, y), `orientation ${index + 1}`)
      t.deepEqual([shown.width, shown.height], index < 4 ? [16, 12] : [12, 16])
    }
  const six = decodeImage('a.jpg', withSegments(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(6, true)]))))
  t.deepEqual(pixel(six, 11, 0), pixel(stored, 0, 0), 'turned to the right')
  t.deepEqual(pixel(six, 11, 15), pixel(stored, 15, 0))
  const png = Buffer.from(files.rgb, 'base64')
  const body = Buffer.concat([Buffer.from('eXIf'), exif(6, false)])
  const chunk = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(4)])
  chunk.writeUInt32BE(body.length - 4)
  chunk.writeUInt32BE(crc32(body), chunk.length - 4)
  const turned = decodeImage('a.png', Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]))
  t.deepEqual([turned.width, turned.height], [3, 5])
  t.deepEqual(pixel(turned, 2, 0), pixel(image('rgb'), 0, 0))
})

test('EXIF that is damaged, or says nothing, leaves an image as it is stored', (t) => {
  const stored = decodeImage('a.jpg', jpegFile)
  for (const content of [
    exif(9, true),
    exif(0, false),
    exif(6, true).subarray(0, 20),
    Buffer.alloc(0),
    Buffer.from('MM')
  ])
    t.deepEqual(
      decodeImage('a.jpg', withSegments(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), content])))),
      stored
    )
})

test('a JPEG may store red, green and blue, as Adobe or its components say', (t) => {
  const stored = decodeImage('a.jpg', jpegFile)
  const luma = Array.from({ length: 192 }, (_, pixel) => {
    const [red, green, blue] = stored.rgb.subarray(3 * pixel)
    return 0.299 * red + 0.587 * green + 0.114 * blue
  })
  const isLuma = ({ rgb }: typeof stored) => luma.every((value, pixel) => Math.abs(value - rgb[3 * pixel]) < 6)
  const adobe = (transform: number) =>
    segment(0xee, Buffer.concat([Buffer.from('Adobe'), Buffer.of(0, 100, 0, 0, 0, 0, transform)]))
  t.true(isLuma(decodeImage('a.jpg', withSegments(adobe(0)))))
  t.deepEqual(decodeImage('a.jpg', withSegments(adobe(1))), stored)
  t.deepEqual(decodeImage('a.jpg', withSegments()), stored)
  const named = withSegments()
  const frame = named.indexOf(Buffer.of(0xff, 0xc0)) + 10
  const scan = named.indexOf(Buffer.of(0xff, 0xda)) + 5
  for (const [k, name] of [...'RGB'].entries()) named[frame + 3 * k] = named[scan + 2 * k] = name.charCodeAt(0)
  t.true(isLuma(decodeImage('a.jpg', named)))
  const jfif = Buffer.concat([jpegFile.subarray(0, 20), adobe(0), jpegFile.subarray(20)])
  t.deepEqual(decodeImage('a.jpg', jfif), stored, 'JFIF has no RGB')
})
