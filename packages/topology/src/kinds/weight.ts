import * as z from 'zod'

/** An element of `W` in a file: a number from 0 to 1, or a fraction such as `1/3`, which has no exact decimal. */
export const weight = z.union([
  z.number({ error: 'a number from 0 to 1' }).min(0).max(1),
  z
    .string({ error: 'a fraction such as 1/3' })
    .regex(/^\d+\/[1-9]\d*$/, { error: 'a fraction such as 1/3' })
    .transform((text) => text.split('/').map(Number))
    .transform(([numerator, denominator]) => numerator / denominator)
    .pipe(z.number().min(0).max(1))
])
