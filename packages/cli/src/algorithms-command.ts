/** The list of `murmur algorithms`, and the table in docs/use/algorithms.md. Both are generated from the registry. */
import { allAlgorithms, type AnyAlgorithm, type LossRule, lossRule, neededServers } from '@murmuration/algorithms'
import type * as z from 'zod'
import { inlineYaml } from './inline-yaml.js'

interface OptionRow {
  readonly name: string
  readonly default: unknown
  readonly description: string
}

/** An entry of the list. */
export interface AlgorithmEntry {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly needs: readonly string[]
  readonly keeps: string
  /** What follows for the others when a peer is lost, and how or why. */
  readonly onLoss: LossRule['onLoss']
  readonly lossReason: string
  readonly options: readonly OptionRow[]
}

/** The list's entry for an algorithm. */
export function algorithmEntry(record: AnyAlgorithm): AlgorithmEntry {
  const { name, title, source, needs, keeps, options, kind, neighbours } = record
  const servers = neededServers(record)
  const { onLoss, reason: lossReason } = lossRule(record)
  return {
    name,
    title,
    source,
    needs: [
      ...(needs.weights === undefined ? [] : [weightWords[needs.weights]]),
      ...(neighbours === undefined ? [] : [`${neighbours(options.parse({}))} neighbours for each peer by default`]),
      ...(needs.graph === undefined ? [] : [graphWords[needs.graph]]),
      ...(needs.eigenvalues === undefined ? [] : [`eigenvalues above ${Number(needs.eigenvalues.toPrecision(3))}`]),
      ...(needs.reach === 'everyone' ? ['links between all peers'] : []),
      ...(needs.members === 'fixed' ? ['the same peers throughout'] : []),
      ...(needs.delivery === 'reliable' ? ['no lost message'] : []),
      ...(needs.dual === true ? ['a task with a dual (svm)'] : []),
      ...(needs.links === undefined ? [] : [linkWords[needs.links]]),
      ...(needs.kernel === true ? ['a task with a kernel, whose training samples are sent to all peers'] : []),
      ...(kind === 'rows' ? ['a task with keyed rows'] : []),
      ...(servers === 0 ? [] : [servers === 1 ? 'a server' : `${servers} servers`])
    ],
    keeps,
    onLoss,
    lossReason,
    options: Object.entries(options.shape).map(([option, schema]) => optionEntry(option, schema as z.ZodType))
  }
}

const linkWords = { exact: 'codec float32', fine: 'a codec other than int4' }

const weightWords = {
  rows: 'weights whose rows sum to 1',
  columns: 'weights whose columns sum to 1',
  both: 'weights whose rows and columns sum to 1',
  symmetric: 'symmetric weights'
}

const graphWords = {
  tree: 'a tree',
  fixed: 'a static graph',
  groups: 'neighbours that are neighbours of each other'
}

function optionEntry(name: string, schema: z.ZodType): OptionRow {
  const parsed = schema.safeParse(undefined)
  return { name, default: parsed.success ? parsed.data : undefined, description: schema.description ?? '' }
}

/** All algorithms, for programs. */
export function algorithmsJson(): readonly AlgorithmEntry[] {
  return allAlgorithms.map(algorithmEntry)
}

/** As {@link algorithmsJson}, a line for each. */
export const algorithmsLines = (): string =>
  algorithmsJson()
    .map((entry) => JSON.stringify(entry))
    .join('\n')

/** All algorithms, for people. */
export function algorithmsText(): string {
  return algorithmsJson().map(entryText).join('\n\n')
}

function entryText({ name, title, source, needs, keeps, onLoss, lossReason, options }: AlgorithmEntry): string {
  return [
    `${name}: ${title}`,
    `  source  ${source}`,
    `  needs   ${needs.length === 0 ? 'nothing' : needs.join(', ')}`,
    `  keeps   ${keeps}`,
    `  on loss ${onLoss}: ${lossReason}`,
    ...options.map((option) => `  ${option.name}: ${shown(option.default)}  ${option.description}`.trimEnd())
  ].join('\n')
}

/** What a loss means, and for how many algorithms. */
function lossRows(entries: readonly AlgorithmEntry[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { onLoss, lossReason } of entries) {
    const start = `| ${lossWords[onLoss]} | ${lossReason} |`
    counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  return [...counts].map(([start, count]) => `${start} ${count} |`)
}

const lossWords: Readonly<Record<LossRule['onLoss'], string>> = {
  'continues': 'continues',
  'continues in a new epoch': 'new epoch',
  'ends': 'ends'
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : inlineYaml(value)
}

/** The lines of a table, by what they say, each with the algorithms of which it is true. */
function rowsOf(lines: readonly (readonly [name: string, line: string])[]): readonly string[] {
  const names = new Map<string, string[]>()
  for (const [name, line] of lines) names.set(line, [...(names.get(line) ?? []), `\`${name}\``])
  return [...names].map(([line, all]) => `| ${all.join(', ')} | ${line} |`)
}

/** The tables of docs/use/algorithms.md. Algorithms of which a line is true share it. */
export function algorithmTables(): string {
  const entries = algorithmsJson()
  const rules = entries.map(({ name, needs, keeps, onLoss }) => {
    return [name, `${needs.join(', ')} | ${keeps} | ${lossWords[onLoss]}`] as const
  })
  const options = entries.flatMap(({ name, options: own }) =>
    own.map((option) => [name, `\`${option.name}: ${shown(option.default)}\` | ${option.description}`] as const)
  )
  return [
    '| algorithm | needs | keeps | on loss |',
    '| --- | --- | --- | --- |',
    ...rowsOf(rules),
    '',
    '| on loss | what the others do, or why they cannot | algorithms |',
    '| --- | --- | --- |',
    ...lossRows(entries),
    '',
    '| algorithm | option and default | what |',
    '| --- | --- | --- |',
    ...rowsOf(options)
  ].join('\n')
}
