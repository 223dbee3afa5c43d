import type { CommandEntry, OptionEntry, Values } from './entries.js'

/** The script for zsh, to be sourced or saved as a file _murmur in a folder of fpath. */
export function zshScript(entries: readonly CommandEntry[]): string {
  const commands = entries.filter(({ name }) => name !== '')
  return `#compdef murmur
# Completes murmur in zsh. Written by "murmur completion zsh".
_murmur_values() {
  local files=$1 expl found=1
  shift
  if (( $# )) && _wanted words expl word compadd -- "$@"; then found=0; fi
  if [[ $files == files ]] && _files; then found=0; fi
  if [[ $files == folders ]] && _files -/; then found=0; fi
  return found
}
_murmur() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  if [[ $command == -* ]]; then command=; else shift words; (( CURRENT-- )); fi
  case $command in
${entries.map(caseOf).join('\n')}
  esac
}
if [[ $funcstack[1] == _murmur ]]; then _murmur "$@"; else compdef _murmur murmur; fi`
}

function caseOf({ name, options, values }: CommandEntry): string {
  const specs = [...options.flatMap(specsOf), `*: :${actionOf(values)}`]
  return `  ('${name}') _arguments ${specs.map((spec) => `\\\n    ${quoted(spec)}`).join(' ')} ;;`
}

/** Specs for _arguments: `*--train=[what it is]:value:action`, where = says that the value may follow one. */
function specsOf({ flags, description, values }: OptionEntry): readonly string[] {
  const explanation = description.replace(/[[\]\\]/g, '\\$&')
  if (values === undefined) return flags.map((flag) => `*${flag}[${explanation}]`)
  const isLong = (flag: string) => flag.startsWith('--')
  return flags.map((flag) => `*${flag}${isLong(flag) ? '=' : ''}[${explanation}]:value:${actionOf(values)}`)
}

// The leading space makes zsh pass the arguments on unchanged.
const actionOf = ({ words, files }: Values) => ` _murmur_values ${[files, ...words].join(' ')}`

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
