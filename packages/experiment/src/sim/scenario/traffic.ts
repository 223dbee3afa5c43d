import { byteSize } from '@murmuration/files'
import * as z from 'zod'
import { networks, readyAt } from './networks.js'

/** The maximum number of float32 values per message: 4 GiB. */
const maxNumbers = 2 ** 30
const maxTensors = 100_000

/** What determines message sizes, in place of the task's own parameters. */
export const trafficSchema = z
  .union([
    z.enum(['resnet-20', 'vgg-a', 'overfeat-fast', 'cd-dnn']),
    z.strictObject({
      tensors: z
        .array(z.int().min(1).max(maxNumbers))
        .min(1)
        .max(maxTensors)
        .meta({ description: 'The number of float32 numbers in each' })
    }),
    z.strictObject({
      size: byteSize()
        .refine(
          (bytes) => bytes > 0 && bytes % 4 === 0 && bytes <= 4 * maxNumbers,
          'a multiple of 4 B (float32), above 0 and at most 4 GiB'
        )
        .meta({ description: 'The size of all tensors together' }),
      tensors: z.int().min(1).max(maxTensors).meta({ description: 'The number of tensors' })
    })
  ])
  .meta({
    description:
      'The sizes of messages, in place of those of the task: resnet-20; vgg-a, overfeat-fast or cd-dnn, whose gradients are ready ' +
      'layer by layer; { tensors: [432, 16] }, the number of float32 numbers in each tensor; or { size: 256 MiB, tensors: 1 }, ' +
      'divided evenly'
  })

type TrafficDescription = z.output<typeof trafficSchema>

/** When the gradient of each tensor is ready, for traffic that says so: see {@link readyAt}. */
export function tensorsReadyAt(traffic: TrafficDescription): readonly number[] | undefined {
  return typeof traffic === 'string' && traffic !== 'resnet-20' ? readyAt(networks[traffic]) : undefined
}

/** How many float32 numbers each tensor holds, in the order in which they are sent. */
export function tensorsOf(traffic: TrafficDescription): readonly number[] {
  if (traffic === 'resnet-20') return resnet20()
  if (typeof traffic === 'string') return networks[traffic].map(({ numbers }) => numbers)
  if (!('size' in traffic)) return traffic.tensors
  const { size, tensors } = traffic
  const numbers = size / 4
  return Array.from(
    { length: tensors },
    (_, tensor) => Math.floor((numbers * (tensor + 1)) / tensors) - Math.floor((numbers * tensor) / tensors)
  )
}

/**
 * ResNet-20 for CIFAR-10 (He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, 2016, section 4.2):
 * 270,410 numbers in 59 tensors. A first convolution of 3 → 16 channels and three stages of six at 16, 32 and 64
 * channels, all 3 × 3, each with its bias as one tensor and followed by a batch normalisation with a scale and a shift;
 * then 64 → 10.
 */
function resnet20(): readonly number[] {
  const widths = [16, ...[16, 32, 64].flatMap((width) => Array.from({ length: 6 }, () => width))]
  const convolutions = widths.flatMap((width, layer) => {
    const channels = layer === 0 ? 3 : widths[layer - 1]
    return [3 * 3 * channels * width + width, width, width]
  })
  return [...convolutions, 64 * 10, 10]
}
