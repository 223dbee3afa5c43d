import { z } from 'zod'

/** Keys of older files; their errors say what to write instead. They never occur in values, so the type does not have them. */
export function removedFields(replacements: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(replacements).map(([key, replacement]) => [
      key,
      z
        .never({ error: replacement })
        .optional()
        .meta({ description: `No longer: ${replacement}` })
    ])
  )
}
