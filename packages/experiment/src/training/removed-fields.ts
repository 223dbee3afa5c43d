import * as z from 'zod'

/**
 * Keys of older files and of other programs; their errors say what to write instead. They never occur in values, so
 * the type does not have them.
 */
export function removedFields(replacements: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(replacements).map(([key, replacement]) => [
      key,
      z
        .never({ error: replacement })
        .optional()
        .meta({ description: `Not a key: ${replacement}` })
    ])
  )
}

/** Several such keys, with the same replacement. */
export function insteadOf(keys: readonly string[], replacement: string): object {
  return removedFields(Object.fromEntries(keys.map((key) => [key, `${replacement} in place of ${key}`])))
}
