import { byteSize, fraction } from '@murmuration/files'
import { frameHeaderLength } from '@murmuration/wire'
import { z } from 'zod'

const positive = z.number().positive()

/** How the network transmits bytes. */
export const networkSchema = z
  .strictObject({
    efficiency: fraction()
      .refine((efficiency) => efficiency > 0, 'more than 0 %')
      .prefault('99 %')
      .meta({ description: 'The fraction of the nominal bandwidth that frames get; the rest is packet headers' }),
    acknowledgements: fraction().prefault('2 %').meta({
      description: "What a flow's acknowledgements take of the opposite direction, as a fraction of the flow"
    }),
    messageOverhead: byteSize()
      .prefault('0 B')
      .meta({ description: `What every message costs beside the frame's own ${frameHeaderLength} bytes` }),
    latencyFactor: positive
      .default(1)
      .meta({ description: "Multiplies every latency; 13.01 in SimGrid's calibrated model LV08" }),
    transport: z.enum(['stream', 'datagram']).default('stream').meta({
      description: 'stream: loss caps the rate as it does of TCP. datagram: a message of which a packet is lost is lost'
    })
  })
  .prefault({})
  .meta({ description: 'How bytes move over the links of the topology' })
