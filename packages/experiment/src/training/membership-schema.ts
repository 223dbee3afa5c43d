/** Settings in files for a swarm with peers that join and leave. */
import { duration } from '@murmuration/files'
import { z } from 'zod'

const policy = z.enum(['continue', 'pause', 'stop'])

/** The field `membership`. */
export const membershipSchema = z
  .strictObject({
    quorum: z.int().min(1).optional().meta({
      description:
        'How many peers begin without the others, which join later; all of them when absent, or with startWithin the larger part'
    }),
    startWithin: duration().optional().meta({
      description: 'How long a quorum that is there waits for the others before it begins'
    }),
    partitioned: policy.default('pause').meta({
      description:
        'What peers do that can reach some others, but no majority: continue, pause until there is one again, or stop'
    }),
    isolated: policy.default('pause').meta({ description: 'What a peer does that can reach nobody' }),
    forgetAfter: duration().prefault('10 min').meta({
      description: 'How long a dead peer counts for the majority; one that comes back later joins anew'
    })
  })
  .meta({ description: 'Who begins, and what peers do that cannot reach the others' })

/** As the schema returns it. */
export type Membership = z.output<typeof membershipSchema>
