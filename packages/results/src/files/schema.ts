/**
 * Schemas of the types in src/results.ts, for reading. JSON has neither NaN nor Infinity: the files have `null` in
 * their place.
 */
import * as z from 'zod'
import { format } from './names.js'
import type { RunRecord, Sweep, Timeline } from '../results.js'

/** An unlimited value is Infinity. */
const setting = z.union([z.number(), z.string(), z.null().transform(() => Infinity)])
const settings = z.record(z.string(), setting)
const amount = z.number().nonnegative()
/** Measured numbers of a run that diverged are NaN. */
const measured = z
  .number()
  .nullable()
  .transform((value) => value ?? NaN)

const form = z.object({
  kind: z.string(),
  fusion: z.enum(['fused', 'per-tensor']),
  calls: z.enum(['streamed', 'blocking'])
})

const source = z.object({
  name: z.string(),
  title: z.string(),
  command: z.string(),
  version: z.string(),
  scenario: z.string(),
  runs: amount
})

/** What the user should do with a folder of another format. */
const otherFormat = (found: unknown): string =>
  typeof found === 'number' && found > format
    ? `expected ${format}: a newer version of Murmuration wrote this file; use its "murmur report"`
    : `expected ${format}: an older version of Murmuration wrote this file; run the command in it again, or open the report.html next to it`

const sweep: z.ZodType<Sweep> = z
  .object({
    format: z.literal(format, { error: ({ input }) => otherFormat(input) }),
    title: z.string(),
    description: z.string(),
    scenario: z.string(),
    command: z.string(),
    version: z.string(),
    axes: z.record(z.string(), z.array(setting).min(1)),
    methods: z
      .array(
        z.object({
          label: z.string(),
          description: z.string(),
          form: form.optional(),
          originalLabel: z.string().optional()
        })
      )
      .min(1),
    seeds: z.array(z.number()).min(1),
    targetLoss: z.number().optional(),
    facts: z.record(z.string(), z.string()),
    part: z.object({ number: z.int().positive(), of: z.int().positive() }).optional(),
    sources: z.array(source).optional()
  })
  .transform(({ format: _, ...fields }) => fields)

const point = z.object({
  seconds: amount,
  samples: amount,
  bytes: amount,
  round: amount,
  loss: measured,
  accuracy: measured.optional(),
  perplexity: measured.optional(),
  measures: z.record(z.string(), measured).optional(),
  worstLoss: measured.optional(),
  consensusDistance: measured.optional(),
  gap: measured.optional()
})

const run: z.ZodType<RunRecord> = z.object({
  world: z.enum(['libp2p', 'simulator']),
  peer: z.string().optional(),
  settings,
  method: z.string(),
  seed: z.number(),
  outcome: z.enum(['target', 'limit', 'failed', 'unfinished']),
  reason: z.string().optional(),
  peers: amount,
  seconds: amount,
  rounds: amount,
  begun: amount.optional(),
  secondsPerRound: measured,
  samples: amount,
  toTarget: z.object({ seconds: amount, samples: amount, bytes: amount }).optional(),
  bytesSent: amount,
  payloadSent: amount.optional(),
  messages: amount.optional(),
  busiest: z.object({ name: z.string(), bytes: amount }).optional(),
  time: z.object({ working: measured, sending: measured.optional(), waiting: measured.optional() }).optional(),
  curve: z.array(point),
  learnedNothing: z.string().optional(),
  ended: z.string().optional(),
  models: z.record(z.string(), z.string()).optional(),
  lost: z.array(z.string()).optional(),
  epochs: z
    .array(
      z.object({
        epoch: z.int().positive(),
        round: amount,
        seconds: amount,
        members: z.array(z.string()),
        lost: z.array(z.string()),
        joined: z.array(z.string())
      })
    )
    .optional(),
  store: z
    .object({
      gets: amount,
      sets: amount,
      adds: amount,
      secondsPerGet: amount,
      secondsPerSet: amount,
      secondsPerAdd: amount,
      bytes: amount,
      overwritten: amount
    })
    .optional(),
  findings: z.array(z.string()),
  logHash: z.string().optional(),
  keys: z
    .object({ local: amount, remote: amount, queued: amount, moved: amount, copied: amount.default(0) })
    .optional(),
  realSeconds: amount.optional()
})

const timeline: z.ZodType<Timeline> = z.object({
  title: z.string().optional(),
  clocks: z.string().optional(),
  settings,
  method: z.string(),
  seed: z.number(),
  from: amount,
  to: amount,
  peers: z.array(z.string()),
  spans: z.array(z.object({ peer: z.string(), kind: z.string(), start: amount, end: amount })),
  messages: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      sent: amount,
      arrived: amount,
      bytes: amount,
      fate: z.enum(['delivered', 'dropped'])
    })
  ),
  marks: z.array(z.object({ peer: z.string(), at: amount, text: z.string(), isFailure: z.boolean() })).optional()
})

export const schemas = { sweep, run, timeline }
