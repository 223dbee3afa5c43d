import type { PeerName } from '@murmuration/core'
import type { Churn, FaultDraw, FaultEvent, Rule } from '@murmuration/simulator'
import { duration, fraction } from '@murmuration/files'
import { z } from 'zod'
import { gone } from '../training/gone.js'

/** Whether a peer has this name is checked when the peers are known. */
const name = z.string({ error: 'the name of a peer' }).transform((text) => text as PeerName)
const count = z.int().min(0).max(10_000).default(0)

const matched = {
  from: name.optional().meta({ description: 'Only what this one sends' }),
  to: name.optional().meta({ description: 'Only what is sent to this one' }),
  after: duration().optional().meta({ description: 'Only what is sent at this time or later' }),
  until: duration().optional().meta({ description: 'Only what is sent before this time' }),
  fraction: fraction()
    .optional()
    .meta({ description: 'Only this fraction of what matches otherwise, drawn by the seed' }),
  ...gone({ share: 'fraction in place of share' })
}

const rule = z.discriminatedUnion('do', [
  z.strictObject({
    ...matched,
    do: z.literal(['drop', 'pass']).meta({ description: 'drop: it never arrives. pass: it does' })
  }),
  z.strictObject({
    ...matched,
    do: z.literal('delay'),
    by: duration().meta({ description: 'How much later it arrives' })
  })
])

const rules = z
  .array(rule.transform(ruleOf))
  .max(10_000)
  .default([])
  .meta({ description: 'What becomes of messages: the first rule that matches decides, else they pass' })

function ruleOf(description: z.output<typeof rule>): Rule {
  if (description.do !== 'delay') {
    const { do: verdict, ...conditions } = description
    return { ...conditions, verdict }
  }
  const { do: _, by, ...conditions } = description
  return { ...conditions, verdict: { delay: by } }
}

const at = duration().meta({ description: 'Virtual time' })
const from = name.meta({ description: 'Whose messages' })
const to = name.meta({ description: 'Who does not get them' })
const groups = z.array(z.array(name).min(1)).min(2).meta({ description: 'Lists of names' })
const peer = name.meta({ description: 'A peer, or a server on a machine of its own' })

const events = z
  .array(
    z
      .discriminatedUnion('do', [
        z.strictObject({ at, do: z.literal(['crash', 'restart', 'freeze', 'thaw', 'leave', 'join']), peer }).meta({
          description:
            'crash: gone without a word; restart: begins anew. freeze: neither computes nor answers until thaw. leave: is told to stop. join: begins only now'
        }),
        z.strictObject({ at, do: z.literal('partition'), groups }).meta({
          description: 'Nothing passes between different groups until heal; who is in no group is cut off from nobody'
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
            factor: z.number().positive().meta({ description: '1 for a clock that is right' })
          })
          .meta({ description: "From now on this peer's clock goes factor times as fast as the others'" })
      ])
      .transform(({ do: kind, ...rest }) => ({ kind, ...rest }) as FaultEvent)
  )
  .max(10_000)
  .default([])
  .meta({ description: 'What goes wrong, or comes right again, at a point in virtual time' })

const random = z
  .strictObject({
    crashes: count.meta({ description: 'Peers that crash, and restart soon' }),
    freezes: count.meta({ description: 'Peers that freeze, and thaw soon' }),
    partitions: count.meta({ description: 'Times at which the peers fall into two halves, and heal soon' }),
    clogs: count.meta({ description: 'Connections that are clogged, and unclogged soon' }),
    within: duration().meta({ description: 'All begin within this time, and last for up to a tenth of it' })
  })
  .transform((draw): FaultDraw => draw)
  .optional()
  .meta({ description: 'Faults that are drawn anew for each seed, beside the events' })

const churn = z
  .strictObject({
    perMinute: fraction()
      .refine((share) => share > 0, 'more than 0 %')
      .meta({ description: 'Of the peers that are there, the fraction that crashes in a minute, on average' }),
    back: duration()
      .refine((time) => time > 0, 'more than 0 ms')
      .optional()
      .meta({ description: 'How long one that crashed is away, on average; without it none comes back' }),
    after: duration().prefault('0 s').meta({ description: 'Nobody crashes before' }),
    until: duration().meta({ description: 'Nobody crashes from then on' })
  })
  .transform((draw): Churn => draw)
  .optional()
  .meta({ description: 'Peers that crash and come back all the time, drawn anew for each seed' })

/** Faults of a simulation. All times are virtual. */
export const faultsSchema = z
  .strictObject({ rules, events, random, churn })
  .prefault({})
  .meta({ description: 'What goes wrong; nothing when absent' })

/** The rules and events of the file, and what is drawn for each seed. */
export interface ScenarioFaults {
  readonly rules: readonly Rule[]
  readonly events: readonly FaultEvent[]
  readonly random?: FaultDraw | undefined
  readonly churn?: Churn | undefined
}
