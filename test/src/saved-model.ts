/** Models as files, without a training run; and images for them. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { createTfjsTask, type ModelDescription } from '@murmuration/tfjs'
import { encodeSafetensors, unpack } from '@murmuration/vectors'

/** A saved model, and its task's results with its parameters. */
export interface SavedModel {
  readonly folder: string
  readonly path: string
  /** On the test samples: the mean of −log p of the right class. */
  readonly loss: number
}

const sharing = { peers: ['a', 'b'], seed: 3 } as const

/** A model of drawn digits of 12 × 12 pixels, or of sentences, with parameters that are far from the initial ones. */
export async function savedModel(
  task: object,
  model: ModelDescription,
  { context }: { readonly context?: number } = {}
): Promise<SavedModel> {
  const isText = context !== undefined
  const drawn = isText
    ? ({ kind: 'sentences', samples: 100 } as const)
    : ({ kind: 'digits', samples: 100, size: 12 } as const)
  const localData = {
    data: drawn,
    ...(isText && { context }),
    partition: { kind: 'equal' },
    testFraction: 0.2,
    ...sharing
  } as const
  const built = await createTfjsTask({ localData, model })
  const initial = await built.initialise(1).run()
  const parameters = initial.map((value, k) => 2 * value + 0.2 * Math.sin(k))
  const { loss } = await built.evaluate(parameters).run()
  const data = isText ? { sentences: 100 } : { digits: 100, size: 12 }
  const learning = { task, data, loss: 'cross-entropy', test: 0.2, partition: 'equal' }
  const { schema, signature, about } = built
  const facts = { learning, ...sharing, algorithm: 'D-PSGD', rounds: 1, samples: 1, about, signature }
  const values = unpack(schema, parameters)
  const tensors = schema.map(({ name, shape }, place) => ({ name, shape, values: values[place] }))
  const folder = await mkdtemp(join(tmpdir(), 'murmur-exported-'))
  const path = join(folder, 'model.safetensors')
  const file = encodeSafetensors(tensors, { format: 'murmuration-model/1', facts: JSON.stringify(facts) })
  await writeFile(path, Buffer.concat(file))
  return { folder, path, loss }
}

/** A PNG file (RFC 2083) of 8 bits per channel: grey for one, RGB for three. */
export function png(width: number, height: number, channels: 1 | 3, pixels: Uint8Array): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, channels === 1 ? 0 : 2, 0, 0, 0], 8)
  const row = width * channels
  const rows = Array.from({ length: height }, (_, y) => [Buffer.of(0), pixels.subarray(y * row, (y + 1) * row)])
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0))
  ])
}

function chunk(kind: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
