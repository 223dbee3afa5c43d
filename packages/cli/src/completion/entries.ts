/** The arguments of `murmur`, derived from the definitions of its commands. */
import { allAlgorithms } from '@murmuration/algorithms'
import { invariant } from '@murmuration/core'
import type { Argument, Command, Option } from 'commander'
import { dataWords, taskWords } from '../words.js'
import { shortSamplesOf } from '../samples.js'

/** What is valid in one place: words, and names of files or of folders. */
export interface Values {
  readonly words: readonly string[]
  readonly files: 'files' | 'folders' | 'none'
}

/** An option: `-h` and `--help`, and the value that must follow it, if any. */
export interface OptionEntry {
  readonly flags: readonly string[]
  readonly description: string
  readonly values: Values | undefined
}

/** A command: its options, and the values of its arguments. */
export interface CommandEntry {
  readonly name: string
  readonly description: string
  readonly options: readonly OptionEntry[]
  readonly values: Values
}

/**
 * Words for options and arguments that take a name or a file. Each key must be an option or an argument of a command.
 */
const knownWords: Readonly<Record<string, () => readonly string[]>> = {
  '--algorithm <name>': () => allAlgorithms.map(({ name }) => name),
  '--task <kind>': () => taskWords,
  '--data <path>': () => dataWords,
  '--train <file>': () => shortSamplesOf('examples'),
  'topology': () => shortSamplesOf('topologies'),
  'scenario': () => shortSamplesOf('sim')
}

/** Which placeholders in options, and names of arguments, mean a file or a folder. */
const places: readonly (readonly [RegExp, Values['files']])[] = [
  [/^folders?$/, 'folders'],
  [/^(files?|path|module|model|topology|scenario)$/, 'files']
]

/** The program itself with the name '', and its commands. */
export function entriesOf(program: Command): readonly CommandEntry[] {
  const commands = program.createHelp().visibleCommands(program)
  const names = commands.map((command) => command.name())
  const entries = [
    { ...entryOf(program), name: '', values: { words: names, files: 'none' } as const },
    ...commands.map((command) => ({
      ...entryOf(command),
      ...(command.name() === 'help' && { values: { words: names, files: 'none' } as const })
    }))
  ]
  checkUsed(commands)
  return entries
}

function entryOf(command: Command): CommandEntry {
  const values = command.registeredArguments.map((argument) => valuesOf(argument.name(), argument))
  return {
    name: command.name(),
    description: command.description(),
    options: command.createHelp().visibleOptions(command).map(optionOf),
    values: {
      words: values.flatMap(({ words }) => words),
      files: values.find(({ files }) => files !== 'none')?.files ?? 'none'
    }
  }
}

function optionOf(option: Option): OptionEntry {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined)
  return {
    flags,
    description: option.description,
    values: option.required ? valuesOf(option.flags, option) : undefined
  }
}

function valuesOf(key: string, { argChoices }: Option | Argument): Values {
  const words = argChoices ?? knownWords[key]?.() ?? []
  // Shells would expand other characters.
  invariant(
    words.every((word) => /^[\w./+-]+$/.test(word)),
    () => `${key}: completed by ${words.join(' ')}`
  )
  const placeholder = /<(\w+)/.exec(key)?.[1] ?? key
  if (argChoices === undefined && key in knownWords) return { words, files: 'files' }
  return { words, files: places.find(([pattern]) => pattern.test(placeholder))?.[1] ?? 'none' }
}

function checkUsed(commands: readonly Command[]): void {
  const used = new Set(
    commands.flatMap(({ options, registeredArguments }) => [
      ...options.map(({ flags }) => flags),
      ...registeredArguments.map((argument) => argument.name())
    ])
  )
  for (const key of Object.keys(knownWords)) invariant(used.has(key), () => `no command has ${key}`)
}
