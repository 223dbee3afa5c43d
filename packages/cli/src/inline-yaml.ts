/** A value as one line of YAML: `{ kind: mlp, hidden: [128] }`. */
export function inlineYaml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${inlineYaml(each)}`)
    .join(', ')} }`
}
