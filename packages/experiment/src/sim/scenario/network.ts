import { byteSize, fraction } from '@murmuration/files'
import { frameHeaderLength } from '@murmuration/wire'
import * as z from 'zod'

const positive = z.number().positive()

/** How the network transmits bytes. */
export const networkSchema = z
  .strictObject({
    efficiency: fraction()
      .refine((efficiency) => efficiency > 0, 'more than 0 %')
      .prefault('99 %')
      .meta({ description: 'The fraction of the nominal bandwidth that frames get; the rest is packet headers' }),
    acknowledgements: fraction().prefault('2 %').meta({
      description: "The bandwidth of a flow's acknowledgements in the opposite direction, as a fraction of the flow"
    }),
    messageOverhead: byteSize()
      .prefault('0 B')
      .meta({ description: `Bytes per message in addition to the frame's ${frameHeaderLength}` }),
    latencyFactor: positive
      .default(1)
      .meta({ description: "Multiplies every latency; 13.01 in SimGrid's calibrated model LV08" }),
    transport: z.enum(['stream', 'datagram']).default('stream').meta({
      description: 'stream: loss caps the rate, as with TCP. datagram: a message that loses a packet is lost'
    })
  })
  .prefault({})
  .meta({ description: 'How the links of the topology carry bytes' })
