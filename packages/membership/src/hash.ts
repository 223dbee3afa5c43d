/**
 * A 32-bit hash of a text, the same on every machine: FNV-1a, mixed so that similar texts have very different hashes.
 * It is not cryptographic.
 */
export function hashOf(text: string): number {
  let value = 2166136261
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 16777619)
  value = Math.imul(value ^ (value >>> 15), 2246822507)
  return (value ^ (value >>> 13)) >>> 0
}

/** Names in the order of a hash, which `salt` changes; equal hashes in the order of names. */
export function byHash<Name extends string>(names: Iterable<Name>, salt: string): Name[] {
  return [...names]
    .map((name) => ({ name, hash: hashOf(`${salt} ${name}`) }))
    .sort((a, b) => a.hash - b.hash || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}
