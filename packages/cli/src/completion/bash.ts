import type { CommandEntry, Values } from './entries.js'

/** The script for bash 3.2 and later. Completion starts no other program. */
export function bashScript(entries: readonly CommandEntry[]): string {
  return `# Completes murmur in bash. Written by "murmur completion bash".
_murmur() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  local words='' files='' each IFS=$' \\t\\n'
  if [[ $COMP_CWORD == 1 ]]; then command=''; fi
  # Readline takes --data=mnist for three words.
  if [[ $word == = ]]; then word=''; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  case "$command $before" in
${entries.flatMap(valueCases).join('\n')}
  *)
    case "$command $word" in
${entries.flatMap(commandCases).join('\n')}
    esac
    ;;
  esac
  COMPREPLY=()
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(
    compgen -W "$words" -- "$word"
    if [[ -n $files ]]; then compgen "$files" -- "$word"; fi
  )
  # Bash 3 has no compopt.
  if [[ -n $files ]]; then compopt -o filenames 2>/dev/null; else compopt +o default 2>/dev/null; fi
  return 0
}
complete -o default -F _murmur murmur`
}

function valueCases({ name, options }: CommandEntry): readonly string[] {
  return options.flatMap(({ flags, values }) =>
    values === undefined ? [] : [`  ${flags.map((flag) => `'${name} ${flag}'`).join(' | ')}) ${settingOf(values)} ;;`]
  )
}

function commandCases({ name, options, values }: CommandEntry): readonly string[] {
  const flags = { words: options.flatMap((option) => option.flags), files: 'none' } as const
  return [`    '${name} -'*) ${settingOf(flags)} ;;`, `    '${name} '*) ${settingOf(values)} ;;`]
}

const compgen = { files: '-f', folders: '-d', none: "''" } as const

const settingOf = ({ words, files }: Values) => `words='${words.join(' ')}' files=${compgen[files]}`
