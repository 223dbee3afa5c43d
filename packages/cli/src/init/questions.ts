import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { isCancel, select, text } from '@clack/prompts'
import { type Algorithm, algorithms, neededServers, refusals } from '@murmuration/algorithms'
import { InputError, messageOf, peerName, StoppedError, type Topology } from '@murmuration/core'
import { tasks } from '@murmuration/experiment/tasks'
import { parseTopologyFile } from '@murmuration/files'
import type { GraphKind } from '@murmuration/topology'
import { defaultChoices, graphChoice, graphs, type InitChoices, peersOf } from './choices.js'
import { setsFor, taskRecordOf } from './tasks.js'

/** The terminal: `process.stdin` and `process.stdout`. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/**
 * Asks for the choices of `murmur init`, and offers only what fits the previous answers. Rejects with a StoppedError at
 * Ctrl-C.
 */
export async function askChoices(terminal: Terminal): Promise<InitChoices> {
  const peers = await askPeers(terminal)
  const topologies = topologiesOf(peers)
  const fittingGraphs = graphs.filter(({ kind }) => topologies.has(kind))
  const graph = await choose(terminal, 'Which peers average with each other?', fittingGraphs.map(graphOption))
  const task = await chooseOrPath(terminal, 'What is learned?', tasks.map(taskOption), 'a module')
  const samples = taskRecordOf(task)?.learnsFromData === false ? {} : await askSamples(terminal, task)
  const fitting = algorithms.filter((record) => fits(record, topologies.get(graph) as Topology, task))
  const algorithm = await choose(terminal, 'By which algorithm?', fitting.map(algorithmOption))
  return { peers, graph, task, ...samples, algorithm }
}

interface Option {
  readonly value: string
  readonly hint: string
}

const taskOption = ({ kind, description }: (typeof tasks)[number]): Option => ({ value: kind, hint: description })
const graphOption = ({ kind, description }: GraphKind): Option => ({ value: kind, hint: `each peer ${description}` })
const algorithmOption = ({ name, title, source }: Algorithm): Option => ({ value: name, hint: `${title}: ${source}` })
const partitionOptions = [
  { value: 'equal', hint: 'every peer has about as many samples of each class' },
  { value: 'label', hint: 'every peer has few classes' },
  { value: 'dirichlet:0.5', hint: 'some peers have many samples of a class, others few' }
]

async function askSamples(terminal: Terminal, task: string): Promise<Pick<InitChoices, 'data' | 'partition'>> {
  const options = setsFor(taskRecordOf(task)).map(({ name, description }) => ({ value: name, hint: description }))
  const data = await chooseOrPath(
    terminal,
    'From which data?',
    options,
    'a folder or file with IDX, CSV, Parquet or LIBSVM data'
  )
  const partition = await choose(terminal, 'How are the data divided among the peers?', partitionOptions)
  return { data, partition }
}

async function askPeers(terminal: Terminal): Promise<InitChoices['peers']> {
  const options = [
    { value: 'this machine', hint: 'to try it out: one process per peer' },
    { value: 'several machines', hint: 'one peer on each; you can first run all of them here' }
  ]
  const isHere = (await choose(terminal, 'Where do the peers run?', options)) === 'this machine'
  const answer = await ask(terminal, isHere ? 'How many peers?' : 'What are the names of the machines?', {
    placeholder: isHere ? String(defaultChoices.peers) : 'alice, bob, carol',
    check: (text) => {
      const isCount = typeof peersOf(text) === 'number'
      if (isCount !== isHere) throw new InputError(isHere ? 'expected a number' : 'expected names, separated by commas')
      if (topologiesOf(peersOf(text)).size === 0) throw new InputError('found no graph that fits these peers')
    }
  })
  return peersOf(answer)
}

/** The topologies that fit so many peers, by the kind of graph. */
function topologiesOf(peers: InitChoices['peers']): ReadonlyMap<string, Topology> {
  const names = typeof peers === 'number' ? peers : JSON.stringify(peers)
  return new Map(
    graphs.flatMap(({ kind: graph }) => {
      try {
        return [[graph, parseTopologyFile(`graph: ${graphChoice({ graph, peers })}\npeers: ${names}\n`, '').topology]]
      } catch (error) {
        if (error instanceof InputError) return []
        throw error
      }
    })
  )
}

function fits(record: Algorithm, topology: Topology, task: string): boolean {
  if (record.needs.dual === true && taskRecordOf(task)?.hasDual === undefined) return false
  const servers = neededServers(record) === 0 ? [] : [peerName('server')]
  return refusals(record, { topology, servers }).length === 0
}

async function chooseOrPath(
  terminal: Terminal,
  message: string,
  options: readonly Option[],
  kind: string
): Promise<string> {
  const ownOption = { value: 'my own', hint: kind }
  const answer = await choose(terminal, message, [...options, ownOption])
  if (answer !== ownOption.value) return answer
  return ask(terminal, `What is the path of ${kind}?`, {
    check: (path) => {
      if (!existsSync(path)) throw new InputError(`found no ${path}`)
    }
  })
}

async function choose({ input, output }: Terminal, message: string, options: readonly Option[]): Promise<string> {
  return answered(await select<string>({ message, options: [...options], input, output }))
}

/** Asks for a line of text; an empty answer means `placeholder`. `check` throws an InputError for an invalid answer. */
async function ask(
  { input, output }: Terminal,
  message: string,
  { placeholder = '', check }: { readonly placeholder?: string; readonly check: (answer: string) => void }
): Promise<string> {
  const validate = (answer = ''): string | undefined => {
    try {
      return void check(answer === '' ? placeholder : answer)
    } catch (error) {
      return messageOf(error)
    }
  }
  return answered(await text({ message, placeholder, defaultValue: placeholder, validate, input, output }))
}

function answered(answer: string | symbol): string {
  if (isCancel(answer)) throw new StoppedError('stopped before anything was written')
  return String(answer)
}
