import { z } from 'zod'
import { pipeSchema } from './pipes.js'
import { presetNames } from './presets.js'
import { bitRate, byteSize, duration, fraction } from '../quantities.js'
import { regionNames } from './wan.js'

const path = {
  latency: duration().optional().meta({ description: 'One way' }),
  jitter: duration().optional().meta({ description: 'The latency varies evenly between latency and latency + jitter' }),
  loss: fraction().optional().meta({ description: 'The fraction of packets that is lost' }),
  window: byteSize()
    .refine((bytes) => bytes > 0, 'more than 0 B')
    .optional()
    .meta({ description: 'What may be under way unacknowledged; caps a flow at window / round trip' })
}
const peerLink = z.strictObject({
  ...path,
  bandwidth: bitRate().optional().meta({ description: "Of the peer's own line, both up and down" }),
  up: bitRate().optional().meta({ description: "What the peer sends, in place of 'bandwidth'" }),
  down: bitRate().optional().meta({ description: "What the peer receives, in place of 'bandwidth'" })
})
const pairLink = z.strictObject({
  between: z.tuple([z.string(), z.string()]),
  ...path,
  bandwidth: bitRate().optional().meta({ description: 'Of the way between these two alone, in each direction' })
})

/** The links of a topology file, or the whole of a links file. */
export const linksSchema = z.strictObject({
  preset: z
    .enum(presetNames)
    .optional()
    .meta({ description: 'datacentre, lan, home or wan: fills the default. What is said beside it wins.' }),
  regions: z
    .record(z.string(), z.enum(regionNames))
    .optional()
    .meta({ description: 'With preset wan: the region of peers by name. Others get the regions in turn.' }),
  default: peerLink.optional().meta({ description: 'Of every peer and every pair that nothing else is said of.' }),
  peers: z.record(z.string(), peerLink).optional().meta({ description: 'By name of the peer.' }),
  pairs: z.array(pairLink).optional().meta({ description: 'By two names; the same in both directions.' }),
  pipes: z.array(pipeSchema).optional().meta({ description: 'Lines that several peers share.' })
})

/** Links as a file describes them. */
export type LinksDescription = z.output<typeof linksSchema>
