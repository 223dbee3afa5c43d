/** What is wrong with a record. Modules of users are JavaScript, which no compiler has checked. */

/** Whether a value is right, and what is expected of it. */
interface Rule {
  readonly expected: string
  isRight(value: unknown): boolean
  /** Whether it may be absent. */
  readonly isOptional?: true
}

const text: Rule = { expected: 'a text', isRight: (value) => typeof value === 'string' && value !== '' }
const method: Rule = { expected: 'a function', isRight: (value) => typeof value === 'function' }
const optionalMethod: Rule = { ...method, isOptional: true }
const record: Rule = { expected: 'an object', isRight: isRecord }
const positive: Rule = { expected: 'a number', isRight: (value) => typeof value === 'number', isOptional: true }

function oneOf(...words: readonly unknown[]): Rule {
  const expected = words.map((word) => JSON.stringify(word)).join(', ')
  return { expected: words.length === 1 ? expected : `one of ${expected}`, isRight: (value) => words.includes(value) }
}

function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true }
}

/** What a role has. */
const roleRules: Readonly<Record<string, Rule>> = {
  start: method,
  round: optionalMethod,
  answers: optional({
    expected: 'a function for each channel',
    isRight: (value) => isRecord(value) && Object.values(value).every(method.isRight)
  }),
  model: optionalMethod,
  done: optionalMethod,
  mass: optionalMethod
}

/** What every algorithm has. */
const descriptionRules: Readonly<Record<string, Rule>> = {
  name: text,
  title: text,
  source: text,
  // Of any copy of zod.
  options: {
    expected: 'a schema, such as z.strictObject({}) where there are none',
    isRight: (value) => isRecord(value) && method.isRight(value.safeParse) && isRecord(value.shape)
  },
  fromGraph: optionalMethod,
  needs: record,
  keeps: oneOf('mean', 'weighted mean', 'equality', 'nothing'),
  pace: optional(oneOf('own')),
  every: optionalMethod,
  neighbours: optionalMethod,
  workers: optionalMethod,
  refuses: optionalMethod,
  kind: optional(oneOf('vector', 'rows')),
  module: optional(text)
}

/** What an algorithm over a vector of parameters has. */
const vectorRules: Readonly<Record<string, Rule>> = {
  ...descriptionRules,
  channels: record,
  ...roleRules,
  carries: optional({
    expected: 'a list of names of the state',
    isRight: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string')
  }),
  edges: optional(record),
  server: optional(record)
}

/** What an algorithm over keyed rows has. */
const rowsRules: Readonly<Record<string, Rule>> = {
  ...descriptionRules,
  holders: oneOf('servers', 'workers'),
  open: method
}

const needsRules: Readonly<Record<string, Rule>> = {
  weights: optional(oneOf('rows', 'columns', 'both', 'symmetric')),
  graph: optional(oneOf('tree', 'fixed', 'groups')),
  eigenvalues: positive,
  reach: optional(oneOf('everyone')),
  delivery: optional(oneOf('reliable', 'any')),
  members: optional(oneOf('fixed')),
  links: optional(oneOf('exact', 'fine')),
  servers: positive,
  store: optional(oneOf(true)),
  dual: optional(oneOf(true)),
  kernel: optional(oneOf(true))
}

const field: Rule = {
  expected: "'vector', 'packed', 'range', 'packed range', 'samples', 'factors', 'number' or a NumberField",
  isRight: (value) =>
    oneOf('vector', 'packed', 'range', 'packed range', 'samples', 'factors', 'number').isRight(value) ||
    (isRecord(value) && method.isRight(value.isAllowed))
}

/** The words for how a late flow enters the state; see LateFlow. */
const lateWords = ['dropped', 'added'] as const
export type LateWord = (typeof lateWords)[number]

const late: Rule = {
  expected: `${lateWords.map((word) => `'${word}'`).join(', ')}, or a function such as addFlow`,
  isRight: (value) => oneOf(...lateWords).isRight(value) || method.isRight(value)
}
const weight: Rule = { expected: 'a weight', isRight: (value) => typeof value === 'number' }

/**
 * A sentence that says which part of an algorithm is wrong, what was found and what was expected; `undefined` if none
 * is.
 */
export function recordProblem(found: unknown): string | undefined {
  if (!isRecord(found)) return `found ${shown(found)}, expected an algorithm`
  const isOfRows = found.kind === 'rows'
  const problem =
    problemIn('', found, isOfRows ? rowsRules : vectorRules) ?? problemIn('needs.', found.needs, needsRules)
  if (problem !== undefined || isOfRows) return problem
  const { channels, edges = {}, answers, server, round } = found
  const channelProblem = problemOfChannels(channels as Parts, edges as Parts)
  if (channelProblem !== undefined) return channelProblem
  const serverProblem = server === undefined ? undefined : problemIn('server.', server, roleRules)
  if (serverProblem !== undefined) return serverProblem
  const other = [answers, (server as Parts | undefined)?.answers]
    .flatMap((all) => Object.keys((all as Parts | undefined) ?? {}))
    .find((name) => !isCall((channels as Parts)[name]))
  if (other !== undefined) return `answers.${other}: found no channel "${other}" with ask and reply, expected one`
  if (round === undefined && answers === undefined && server === undefined)
    return 'round: found none, expected a function'
  return problemOfDone(found)
}

/** All peers have to know in the same round that the run ends. */
function problemOfDone({ done, keeps, pace, answers, server: given }: Parts): string | undefined {
  const server = given as Parts | undefined
  if (done === undefined && server?.done === undefined) return undefined
  if (keeps !== 'equality' || pace !== undefined || answers !== undefined || server?.answers !== undefined)
    return 'done: found a function, expected none: only "keeps: \'equality\'" in common rounds lets all peers know together that the run ends'
  if (server === undefined || (done !== undefined && server.done !== undefined)) return undefined
  return `${done === undefined ? '' : 'server.'}done: found none, expected a function: workers and servers have to know together that the run ends`
}

type Parts = Readonly<Record<string, unknown>>

function problemIn(path: string, found: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  const parts = found as Parts
  const unknown = Object.keys(parts).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined)
    return `${path}${unknown}: found a part that algorithms do not have; they have ${Object.keys(rules)
      .filter((name) => name !== 'module' && name !== 'kind')
      .join(', ')}`
  for (const [name, rule] of Object.entries(rules)) {
    const problem = problemOf(`${path}${name}`, parts[name], rule)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(path: string, value: unknown, rule: Rule): string | undefined {
  if (rule.isRight(value) || (value === undefined && rule.isOptional === true)) return undefined
  return `${path}: found ${shown(value)}, expected ${rule.expected}`
}

function problemOfChannels(channels: Parts, edges: Parts): string | undefined {
  for (const [name, channel] of Object.entries(channels)) {
    if (!isRecord(channel)) return problemOf(`channels.${name}`, channel, record)
    const shapes = isCall(channel) ? Object.entries(channel) : [['', channel] as const]
    for (const [part, shape] of shapes) {
      const path = ['channels', name, part].filter((each) => each !== '').join('.')
      if (!isRecord(shape)) return problemOf(path, shape, record)
      for (const [key, kind] of Object.entries(shape)) {
        const problem = problemOf(`${path}.${key}`, kind, field)
        if (problem !== undefined) return problem
      }
    }
  }
  for (const [name, edge] of Object.entries(edges)) {
    const channel = channels[name]
    if (channel === undefined) return `edges.${name}: found no channel "${name}", expected one of ${shown(channels)}`
    const problem = problemOf(`edges.${name}`, edge, isCall(channel) ? weight : late)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Whether a channel is one of requests and replies. */
function isCall(channel: unknown): boolean {
  return isRecord(channel) && isRecord(channel.ask) && isRecord(channel.reply)
}

function isRecord(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  if (value === undefined) return 'none'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return Object.keys(value).join(', ') || 'an empty object'
  return JSON.stringify(value) ?? String(value)
}
