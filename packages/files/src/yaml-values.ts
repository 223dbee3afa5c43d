import { isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml'

/** A value and its path: the keys from the outermost mapping inwards. */
export type YamlValue = readonly [path: readonly string[], value: unknown]

/**
 * The text of a YAML file (a mapping, or empty) with some values replaced or added in flow style. The rest stays as it
 * is, with comments.
 */
export function withYamlValues(text: string, values: readonly YamlValue[]): string {
  const document = parseDocument(text)
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never
  for (const [path, value] of values) {
    const missing = path.findIndex((_, depth) => depth > 0 && !isMap(document.getIn(path.slice(0, depth))))
    // Replaces a value on the path that is not a mapping by one.
    const [target, inner] = missing < 0 ? [path, value] : [path.slice(0, missing), nested(path.slice(missing), value)]
    document.setIn(target, document.createNode(inner, { flow: true }))
  }
  return document.toString({ lineWidth: 0 })
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value)

/** The text of a topology file with its peers in this order, each with its stage; what else is said of them stays. */
export function withPeerStages(
  text: string,
  peers: readonly { readonly name: string; readonly stage: number }[]
): string {
  const document = parseDocument(text)
  const given: unknown = document.get('peers')
  const nodes = isSeq(given) ? given.items : []
  const nodeOf = ({ name, stage }: { readonly name: string; readonly stage: number }) => {
    const node = nodes.find((each) => isMap(each) && each.get('name') === name)
    if (!isMap(node)) return document.createNode({ name, stage }, { flow: true })
    node.set('stage', stage)
    return node
  }
  const list = document.createNode([]) as YAMLSeq
  list.items = peers.map(nodeOf)
  document.delete('stages')
  document.set('peers', list)
  return document.toString({ lineWidth: 0 })
}
