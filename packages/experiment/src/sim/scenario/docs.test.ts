import { readFileSync } from 'node:fs'
import { parseTopologyFile } from '@murmuration/files'
import { frameHeaderLength } from '@murmuration/wire'
import test from 'ava'
import { fileOf } from './scenario.test.support.js'
import { readScenario } from './file.js'
import { sharedFields } from '../../training/training-schema.js'
import { scenarioJsonSchema } from './schema.js'

const document = readFileSync(new URL('../../../../../docs/use/scenario-file.md', import.meta.url), 'utf8')

/** The parts of a JSON Schema that are compared. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly Node[]
  readonly anyOf?: readonly Node[]
  readonly items?: Node
  readonly default?: unknown
  readonly description?: string
  readonly $ref?: string
  readonly const?: unknown
}

interface Field {
  readonly path: string
  /** In the form of the document. */
  readonly default: string
  readonly node: Node
}

/** Described elsewhere or in the row of the field itself. */
const closed = new Set([
  'topology',
  'methods[].rate',
  'methods[].graph',
  'methods[].algorithm',
  'methods[].optimiser',
  'timeline.at'
])

/** Fields of older files are documented in a sentence of their own. */
function isCurrent([, { description }]: readonly [string, Node]): boolean {
  return description?.startsWith('Not a key') !== true
}

/** The fields of mappings, in all their kinds; of a value with several forms, only the value itself. */
function fieldsOf(node: Node, path = ''): readonly Field[] {
  if (closed.has(path)) return []
  const own = Object.entries(node.properties ?? {})
    .filter(isCurrent)
    .flatMap(([key, value]) => {
      const at = path === '' ? key : `${path}.${key}`
      const shown = node.required?.includes(key) === true ? 'needed' : defaultOf(value)
      return [{ path: at, default: shown, node: value }, ...fieldsOf(value, at)]
    })
  const forms = node.oneOf ?? (path === 'methods[]' ? node.anyOf : undefined) ?? []
  const kinds = forms.flatMap((kind) => fieldsOf(kind, path))
  return [...own, ...kinds, ...(node.items === undefined ? [] : fieldsOf(node.items, `${path}[]`))]
}

function defaultOf({ default: value }: Node): string {
  return value === undefined || value === '' || typeof value === 'object' ? '' : `\`${String(value)}\``
}

/** Of the fields that training files have too, the document has only those that differ in scenarios. */
const otherwise = ['rounds', 'codec', 'timeout', 'seed']
const isShared = ({ path }: Field) => path.split('.')[0] in sharedFields && !otherwise.includes(path)

const fields = fieldsOf(scenarioJsonSchema() as Node).filter((field) => !isShared(field))
const lines = (rows: readonly string[]) => [...new Set(rows)].sort()

test('the tables in the document list every field with its default', (t) => {
  const tables = document.split('\n\n').filter((block) => block.startsWith('| field (default) | what |'))
  const cells = tables.flatMap((table) => [...table.matchAll(/^\|(.+?)\|/gm)].map(([, cell]) => cell))
  const rows = cells.flatMap((cell) => [...cell.matchAll(/`([\w.[\]]+)`(?: \((needed|`.+?`)\))?/g)])
  const known = lines(fields.map((field) => `${field.path} ${field.default}`))
  t.true(known.length > 70)
  t.deepEqual(lines(rows.map(([, path, shown = '']) => `${path} ${shown}`)), known)
})

test('the document names the length of a frame’s header', (t) => {
  t.true(document.includes(`the frame's own ${frameHeaderLength} bytes`))
})

test('every field has a description in the JSON Schema, but for those that say which kind a mapping is', (t) => {
  const silent = fields.filter(
    ({ node, path }) => (node.description ?? node.$ref) === undefined && !/\.(kind|algorithm|do)$/.test(path)
  )
  t.deepEqual(
    silent.map(({ path }) => path),
    []
  )
})

test('the scenarios and the topology in the document are accepted', async (t) => {
  const blocks = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml)
  t.is(blocks.length, 3)
  const [small, large] = await Promise.all(blocks.slice(0, 2).map(async (yaml) => readScenario(await fileOf(yaml))))
  t.is(small.methods.length, 2)
  t.is(large.methods.length, 9)
  t.deepEqual(large.timeline?.settings, { bandwidth: 1e6, latency: 10 })
  t.is(parseTopologyFile(blocks[2], 'document').peers.length, 5)
})
