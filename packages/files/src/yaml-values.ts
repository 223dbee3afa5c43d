import { isMap, parseDocument } from 'yaml'

/** A value and where it belongs: the keys from the outermost mapping on. */
export type YamlValue = readonly [path: readonly string[], value: unknown]

/** The text of a YAML file, which is a mapping or empty, with some values in place of its own. The rest stays as it is, comments too; what is new is written in one line. */
export function withYamlValues(text: string, values: readonly YamlValue[]): string {
  const document = parseDocument(text)
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never
  for (const [path, value] of values) {
    const missing = path.findIndex((_, depth) => depth > 0 && !isMap(document.getIn(path.slice(0, depth))))
    // What is no mapping yet becomes one.
    const [place, inner] = missing < 0 ? [path, value] : [path.slice(0, missing), nested(path.slice(missing), value)]
    document.setIn(place, document.createNode(inner, { flow: true }))
  }
  return document.toString({ lineWidth: 0 })
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value)
