import { z } from 'zod'

/** Keys of older files, which are there to say what to write in place of each. Nothing that is read has them, so its type has not. */
export function gone(insteadOf: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(insteadOf).map(([key, instead]) => [
      key,
      z
        .never({ error: instead })
        .optional()
        .meta({ description: `No longer: ${instead}` })
    ])
  )
}
