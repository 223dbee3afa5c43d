/** The error of a union of mappings: an example of what is expected, for a value of another kind. */
export function mappingSuchAs(example: string) {
  return ({ code }: { readonly code?: string }): string | undefined =>
    code === 'invalid_type' ? `a mapping such as ${example}` : undefined
}
