/** Settings in files for a swarm with peers that join and leave. */
import { waitingTime } from '@murmuration/files'
import * as z from 'zod'

const policy = z.enum(['continue', 'pause', 'stop'])

/** The field `membership`. */
export const membershipSchema = z
  .strictObject({
    quorum: z.int().min(1).optional().meta({
      description:
        'How many peers may begin without the others, which join later; when absent: all, or with startWithin a majority'
    }),
    startWithin: waitingTime().optional().meta({
      description: 'How long a quorum that is present waits for the others before it begins'
    }),
    partitioned: policy.default('pause').meta({
      description:
        'What peers do that reach some others, but not a majority: continue, pause until a majority is present again, or stop'
    }),
    isolated: policy.default('pause').meta({ description: 'What a peer does that reaches no other' }),
    forgetAfter: waitingTime().prefault('10 min').meta({
      description: 'How long a dead peer counts for the majority; a peer that returns later joins again'
    }),
    onLoss: z.enum(['continue', 'stop']).default('continue').meta({
      description: 'What follows for algorithms that need every peer when one is lost: continue in a new epoch, or stop'
    })
  })
  .meta({ description: 'When a run begins, what peers do that cannot reach the others, and what follows from a loss' })

/** As the schema returns it. */
export type MembershipDescription = z.output<typeof membershipSchema>
