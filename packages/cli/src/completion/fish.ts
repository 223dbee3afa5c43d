import type { CommandEntry, OptionEntry, Values } from './entries.js'

/** The script for fish. */
export function fishScript(entries: readonly CommandEntry[]): string {
  return `# Completes murmur in fish. Written by "murmur completion fish".
function __murmur_in
    set -l typed (commandline -opc)
    test "$typed[2]" = "$argv[1]"
end
complete -c murmur -e
complete -c murmur -f
${entries.flatMap(linesOf).join('\n')}`
}

function linesOf(entry: CommandEntry, _index: number, entries: readonly CommandEntry[]): readonly string[] {
  const { name, options, values } = entry
  const condition = `complete -c murmur -n "__murmur_in '${name}'"`
  const words =
    name === ''
      ? entries
          .filter((other) => other !== entry)
          .map((other) => `${condition} -a ${other.name} -d ${quoted(other.description)}`)
      : [`${condition} ${valueText(values)}`]
  return [...words, ...options.map((option) => `${condition} ${optionText(option)}`)]
}

function optionText({ flags, description, values }: OptionEntry): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  return [...names, ...(values ? ['-r', valueText(values)] : []), `-d ${quoted(description)}`].join(' ')
}

function valueText({ words, files }: Values): string {
  const all = files === 'folders' ? [...words, '(__fish_complete_directories)'] : words
  return `${files === 'files' ? '-F' : '-f'} -a '${all.join(' ')}'`
}

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
