import { z } from 'zod'

/** A key of older files, which is there to say what to write in its place. */
export function goneFor(instead: string) {
  return z
    .never({ error: instead })
    .optional()
    .meta({ description: `No longer: ${instead}` })
}
