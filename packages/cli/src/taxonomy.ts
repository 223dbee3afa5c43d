/** The table in docs/understand/taxonomy.md: where each algorithm stands on the axes, from its record alone. */
import { allAlgorithms, type AnyAlgorithm, compresses, lossRule, neededServers } from '@murmuration/algorithms'

/** Where an algorithm stands on each axis, in the words that the document explains. */
function cellsOf(record: AnyAlgorithm): readonly string[] {
  return [whoOf(record), whenOf(record), sentOf(record), record.keeps, lostOf(record)]
}

/** Who combines what the peers have computed. */
function whoOf(record: AnyAlgorithm): string {
  if (neededServers(record) > 0) return 'servers'
  if (record.kind === 'rows') return 'holders of rows'
  if (Object.keys(record.channels).length === 0) return 'nobody'
  if (record.needs.reach !== 'everyone') return 'neighbours'
  return record.needs.weights === undefined ? 'all' : 'neighbours, at times all'
}

/** Whether peers wait for each other. Workers have their own pace where servers keep nothing, or share a store. */
function whenOf(record: AnyAlgorithm): string {
  if ('staleness' in record.options.shape) return 'bounded'
  if (record.kind === 'rows' || record.pace === 'own' || record.answers !== undefined) return 'asynchronous'
  return record.server !== undefined && record.keeps === 'nothing' ? 'asynchronous' : 'synchronous'
}

/** Messages that are packed without an option to choose how short they are lose nothing. */
function sentOf(record: AnyAlgorithm): string {
  if (record.kind === 'rows') return 'rows'
  return compresses(record) && Object.keys(record.options.shape).length > 0 ? 'compressed' : 'whole'
}

/** What it costs the others when a message, or its sender, is lost. */
function lostOf(record: AnyAlgorithm): string {
  if (record.needs.delivery === 'any' || whoOf(record) === 'nobody') return 'nothing'
  const { onLoss } = lossRule(record)
  if (onLoss === 'ends') return 'the run'
  return onLoss === 'continues' ? 'one exchange' : 'the epoch'
}

/** The title, and after how many steps it exchanges by default, where that is not after each. */
function nameOf(record: AnyAlgorithm): string {
  const given = record.options.parse({})
  const every = record.every?.(given) ?? given.period ?? 1
  return every === 1 ? record.title : `${record.title} (${String(every)})`
}

/** A row for each place where algorithms stand, with all of them. */
export function taxonomyTable(): string {
  const places = new Map<string, string[]>()
  for (const record of allAlgorithms) {
    const start = cellsOf(record).join(' | ')
    places.set(start, [...(places.get(start) ?? []), nameOf(record)])
  }
  const rows = [...places].sort().map(([start, names]) => `| ${start} | ${names.join('; ')} |`)
  return [
    '| who combines | when | sent | keeps | a loss costs | algorithms |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows
  ].join('\n')
}
