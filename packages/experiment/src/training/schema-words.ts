/** The error of a union of mappings: what kind of thing is expected where something else stands. */
export function mappingSuchAs(example: string) {
  return ({ code }: { readonly code?: string }): string | undefined =>
    code === 'invalid_type' ? `a mapping such as ${example}` : undefined
}
