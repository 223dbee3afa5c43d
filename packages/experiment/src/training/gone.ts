import { z } from 'zod'

/** Keys of older files; their errors say what to write instead. They never occur in values, so the type does not have them. */
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
