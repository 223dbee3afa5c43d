import type { PeerName } from '@murmuration/core'
import type { Churn, FaultDraw, FaultEvent, FaultRule } from '@murmuration/simulator'
import { duration, fraction, waitingTime } from '@murmuration/files'
import * as z from 'zod'
import { removedFields } from '../../training/removed-fields.js'

/** Whether a peer has this name is checked when the peers are known. */
const name = z.string({ error: 'the name of a peer' }).transform((text) => text as PeerName)
const count = z.int().min(0).max(10_000).default(0)

const matched = {
  from: name.optional().meta({ description: 'Only messages from this peer' }),
  to: name.optional().meta({ description: 'Only messages to this peer' }),
  after: duration().optional().meta({ description: 'Only messages sent at this time or later' }),
  until: duration().optional().meta({ description: 'Only messages sent before this time' }),
  fraction: fraction()
    .optional()
    .meta({ description: 'Only this fraction of the messages that match, drawn by the seed' }),
  ...removedFields({ share: 'fraction in place of share' })
}

const rule = z.discriminatedUnion('do', [
  z.strictObject({
    ...matched,
    do: z.literal(['drop', 'pass']).meta({ description: 'drop: the message never arrives. pass: it arrives' })
  }),
  z.strictObject({
    ...matched,
    do: z.literal('delay'),
    by: waitingTime().meta({ description: 'How much later the message arrives' })
  })
])

const rules = z
  .array(rule.transform(ruleOf))
  .max(10_000)
  .default([])
  .meta({ description: 'What happens to messages: the first rule that matches decides; without one they pass' })

function ruleOf(description: z.output<typeof rule>): FaultRule {
  if (description.do !== 'delay') {
    const { do: verdict, ...conditions } = description
    return { ...conditions, verdict }
  }
  const { do: _, by, ...conditions } = description
  return { ...conditions, verdict: { delay: by } }
}

const at = duration().meta({ description: 'Virtual time' })
const from = name.meta({ description: 'The sender' })
const to = name.meta({ description: 'The receiver' })
const groups = z.array(z.array(name).min(1)).min(2).meta({ description: 'Lists of names' })
const peer = name.meta({ description: 'A peer, or a server on a machine of its own' })

const events = z
  .array(
    z
      .discriminatedUnion('do', [
        z.strictObject({ at, do: z.literal(['crash', 'restart', 'freeze', 'thaw', 'leave', 'join']), peer }).meta({
          description:
            'crash: stops without notice; restart: starts again. freeze: neither computes nor answers until thaw. leave: is asked to stop. join: starts only now'
        }),
        z.strictObject({ at, do: z.literal('partition'), groups }).meta({
          description: 'Nothing passes between different groups until heal; a peer in no group still reaches all'
        }),
        z.strictObject({ at, do: z.literal('heal') }),
        z
          .strictObject({ at, do: z.literal(['clog', 'unclog']), from, to })
          .meta({ description: 'Nothing passes from one to the other until unclog' }),
        z
          .strictObject({
            at,
            do: z.literal('skew'),
            peer,
            factor: z.number().positive().meta({ description: '1 for a correct clock' })
          })
          .meta({ description: "From now on this peer's clock runs factor times as fast as the others'" })
      ])
      .transform(({ do: kind, ...rest }) => ({ kind, ...rest }) as FaultEvent)
  )
  .max(10_000)
  .default([])
  .meta({ description: 'Faults, and their ends, at points in virtual time' })

const random = z
  .strictObject({
    crashes: count.meta({ description: 'Peers that crash, and restart soon' }),
    freezes: count.meta({ description: 'Peers that freeze, and thaw soon' }),
    partitions: count.meta({ description: 'Partitions of the peers into two halves, which heal soon' }),
    clogs: count.meta({ description: 'Connections that are clogged, and unclogged soon' }),
    within: waitingTime().meta({ description: 'All begin within this time, and last up to a tenth of it' })
  })
  .transform((draw): FaultDraw => draw)
  .optional()
  .meta({ description: 'Further faults, drawn separately for each seed' })

const churn = z
  .strictObject({
    perMinute: fraction()
      .refine((value) => value > 0, 'more than 0 %')
      .meta({ description: 'The mean fraction of the present peers that crashes in a minute' }),
    back: waitingTime()
      .optional()
      .meta({ description: 'The mean time until a crashed peer returns; without it no peer returns' }),
    after: duration().prefault('0 s').meta({ description: 'No peer crashes before this time' }),
    until: duration().meta({ description: 'No peer crashes from this time on' })
  })
  .transform((draw): Churn => draw)
  .optional()
  .meta({ description: 'Peers that crash and return throughout the run, drawn separately for each seed' })

/** Faults of a simulation. All times are virtual. */
export const faultsSchema = z
  .strictObject({ rules, events, random, churn })
  .prefault({})
  .meta({ description: 'The faults; none when absent' })

/** The rules and events of the file, and what is drawn for each seed. */
export interface ScenarioFaults {
  readonly rules: readonly FaultRule[]
  readonly events: readonly FaultEvent[]
  readonly random?: FaultDraw | undefined
  readonly churn?: Churn | undefined
}
