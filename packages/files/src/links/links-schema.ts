import * as z from 'zod'
import { pipeSchema } from './pipes.js'
import { presetNames } from './presets.js'
import { bitRate, byteSize, duration, lossFraction } from '../quantities.js'
import { regionNames } from './wan.js'

const path = {
  latency: duration().optional().meta({ description: 'The latency of one direction' }),
  jitter: duration().optional().meta({ description: 'The latency varies evenly between latency and latency + jitter' }),
  loss: lossFraction().optional().meta({ description: 'The fraction of packets that is lost' }),
  window: byteSize()
    .refine((bytes) => bytes > 0, 'more than 0 B')
    .optional()
    .meta({ description: 'The maximum unacknowledged data in flight; caps a flow at window / round trip' })
}
const peerLink = z.strictObject({
  ...path,
  bandwidth: bitRate().optional().meta({ description: "The bandwidth of the peer's access link, both up and down" }),
  up: bitRate().optional().meta({ description: "The bandwidth for sending, in place of 'bandwidth'" }),
  down: bitRate().optional().meta({ description: "The bandwidth for receiving, in place of 'bandwidth'" })
})
const pairLink = z.strictObject({
  between: z.tuple([z.string(), z.string()]),
  ...path,
  bandwidth: bitRate()
    .optional()
    .meta({ description: 'The bandwidth of the path between these two, in each direction' })
})

/** The links of a topology file, or the whole of a links file. */
export const linksSchema = z.strictObject({
  preset: z
    .enum(presetNames)
    .optional()
    .meta({ description: 'datacentre, lan, home or wan: sets the default. Other values in the file override it.' }),
  regions: z.record(z.string(), z.enum(regionNames)).optional().meta({
    description: 'With preset wan: the regions of peers, by name. The others are assigned the regions in turn.'
  }),
  default: peerLink.optional().meta({ description: 'The values of every peer and pair without values of their own.' }),
  peers: z.record(z.string(), peerLink).optional().meta({ description: 'The values of single peers, by name.' }),
  pairs: z
    .array(pairLink)
    .optional()
    .meta({ description: 'The values of pairs, by two names; the same in both directions.' }),
  pipes: z.array(pipeSchema).optional().meta({ description: 'Lines that several peers share.' })
})

/** Links as a file describes them. */
export type LinksDescription = z.output<typeof linksSchema>

/** The link of one peer to all others. */
export type PeerLink = NonNullable<LinksDescription['default']>
