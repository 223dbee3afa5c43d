import { existsSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnyAlgorithm, neededServers } from '@murmuration/algorithms'
import { InputError, messageOf, OutputError } from '@murmuration/core'
import { imageFolders } from '@murmuration/data'
import { parseTopologyFile } from '@murmuration/files'
import { choiceOf, loadAlgorithm, parseTrainingFile, partitionOf, planOf, startEvent } from '@murmuration/experiment'
import { graphs, choicesOf, graphChoice, type InitChoices, type InitFlags } from './choices.js'
import { type FileContents, rateText, topologyText, trainingText } from './file-texts.js'
import { inlineYaml } from '../inline-yaml.js'
import { commandIn, pathText, schemaPlace } from './places.js'
import type { Terminal } from './questions.js'
import { dataFor, taskRecordOf, taskText } from './tasks.js'
import { dataWords, taskWords } from '../words.js'

/** What was written, and the next steps. */
export interface InitReport {
  readonly topology: string
  readonly train: string
  /** How to call the command in the folder. */
  readonly command: string
  /** The content of the files, in a few words. */
  readonly summary: string
  /** The names of the machines, if the peers are not all on this one. */
  readonly machines: readonly string[]
}

/** `murmur init`: asks on a terminal if no option is given. The result says what was written and what to type next. */
export async function runInit(folder: string, flags: InitFlags, terminal: Terminal): Promise<string> {
  checkFolder(folder)
  const isAsking = Object.keys(flags).length === 0 && terminal.input.isTTY && terminal.output.isTTY
  const choices = isAsking ? await (await import('./questions.js')).askChoices(terminal) : choicesOf(flags)
  return initText(await initialise(folder, choices))
}

/** Throws an InputError when a file that `murmur init` writes into `folder` exists. */
function checkFolder(folder: string): void {
  const { topology, train } = pathsIn(folder)
  const found = [topology, train].filter((path) => existsSync(path))
  if (found.length > 0) throw overwriteError(found.join(' and '))
}

/**
 * Writes a topology file and a training file into `folder`, and creates the folder if necessary. Throws an InputError
 * when a file of that name exists, or when the choices do not fit each other: then nothing is written.
 */
export async function initialise(folder: string, choices: InitChoices): Promise<InitReport> {
  checkFolder(folder)
  const contents = await contentsOf(folder, choices)
  const { topology, train } = pathsIn(folder)
  const topologyFile = topologyText(contents)
  const trainingFile = trainingText(contents)
  const training = await parseTrainingFile(trainingFile, train)
  const plan = planOf(topology, parseTopologyFile(topologyFile, topology), training)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new OutputError(`cannot create the folder ${folder}: ${messageOf(error)}`)
  })
  await create(topology, topologyFile)
  await create(train, trainingFile + rateText(training.rate))
  const { algorithm, peers, topology: graph } = startEvent(plan)
  return {
    topology,
    train,
    command: contents.command,
    summary: `${peers.length} peers, ${graph}; ${algorithm}`,
    machines: typeof choices.peers === 'object' ? choices.peers : []
  }
}

/** For people: what was written, and what to type next. */
export function initText({ topology, train, command, summary, machines }: InitReport): string {
  const files = `${topology} --train ${train}`
  return [
    `wrote ${topology} and ${train} (${summary})`,
    '',
    'Next, on this machine:',
    `  ${command} swarm ${files}`,
    `  ${command} sim ${files}`,
    ...(machines.length === 0 ? [] : ['', ...machineLines(machines[0], files, command)])
  ].join('\n')
}

function machineLines(name: string, files: string, command: string): string[] {
  return [
    `Then on each machine, here on that of ${name}; copy the lines that "identity" prints to the topology file:`,
    `  ${command} identity ${name}`,
    `  ${command} peer ${files.replace(' ', ` --as ${name} `)}`
  ]
}

function pathsIn(folder: string) {
  return { topology: join(folder, 'topology.yaml'), train: join(folder, 'train.yaml') }
}

async function contentsOf(folder: string, choices: InitChoices): Promise<FileContents> {
  const record = await loadAlgorithm(choiceOf(choices.algorithm))
  return {
    peers: choices.peers,
    graph: graphChoice(choices),
    ...(await learningOf(folder, choices)),
    algorithm: algorithmText(record, wordOrPath(folder, choices.algorithm, 'module', [record.name])),
    givesWeights: graphs.find(({ kind }) => kind === choices.graph)?.graphs === undefined,
    hasServer: neededServers(record) > 0,
    schema: (name) => schemaPlace(folder, name),
    command: commandIn(process.cwd())
  }
}

/** With a mean over all peers, the collective follows from the links of the topology file. */
function algorithmText({ name, options }: Pick<AnyAlgorithm, 'name' | 'options'>, text: string): string {
  return text === name && 'collective' in options.shape ? inlineYaml({ name, collective: 'auto' }) : text
}

/** The task's part of the training file. Throws an InputError for data and partitions that the task cannot use. */
async function learningOf(folder: string, { task, data, partition }: InitChoices) {
  const record = taskRecordOf(task)
  const learning = { task: record === undefined ? wordOrPath(folder, task, 'module', taskWords) : taskText(record) }
  if (record?.learnsFromData !== false) {
    const samples = { data: await dataText(folder, dataFor(task, data)), partition: partitionText(partition) }
    return { ...learning, samples }
  }
  for (const [option, value] of Object.entries({ data, partition })) {
    if (value !== undefined)
      throw new InputError(`--${option} ${value}: the task ${task} generates its own data; omit --${option}`)
  }
  return learning
}

/** `data:` in the file. Photos rarely have one size, so that those of a folder are scaled. */
async function dataText(folder: string, data: string): Promise<string> {
  const text = wordOrPath(folder, data, 'path', dataWords)
  if (dataWords.includes(data) || !statSync(data).isDirectory() || (await imageFolders(data)).length === 0) return text
  return text.replace(/ \}$/, ', size: 64 }')
}

/** `partition:` in the file. */
function partitionText(text = 'equal'): string {
  const partition = partitionOf(text)
  if (text.startsWith('local'))
    throw new InputError(
      `--partition ${text}: expected equal, label or dirichlet:ALPHA; if each machine has its own data, write "partition: local" into the training file, and "test: { path, sha256 }" for a test set that all machines have`
    )
  return inlineYaml(partition)
}

/** One of `words`, or a path. */
function wordOrPath(folder: string, text: string, key: 'module' | 'path', words: readonly string[]): string {
  return words.includes(text) ? text : `{ ${key}: ${pathText(folder, text, words)} }`
}

async function create(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw overwriteError(path)
    throw new OutputError(`cannot write ${path}: ${messageOf(error)}`)
  })
}

function overwriteError(found: string): InputError {
  return new InputError(
    `found ${found}, and murmur init overwrites no file; name another folder, as in "murmur init my-folder", or move the existing files`
  )
}
