/** Shells complete what is typed after `murmur`, by the scripts that it prints. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { murmurInTurn, temporaryFolder } from './command.js'
import { root, textOf } from '../repository.js'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** A test that needs this shell, with the reason why it is skipped elsewhere. */
function needing(shell: Shell) {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0
  return { test: isThere ? test : test.skip, note: isThere ? '' : ` (skipped: there is no ${shell})` }
}

const [bash, zsh, fish] = shells.map(needing)

/** The help of the program and of each command, and a file with the script of each shell. */
async function printed() {
  const home = await temporaryFolder()
  const [help, ...scripts] = await murmurInTurn([['--help'], ...shells.map((shell) => ['completion', shell])], home)
  const names = [...help.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  const helps = await murmurInTurn(
    names.map((name) => [name, '--help']),
    home
  )
  const files = scripts.map(({ stdout }, place) => {
    const file = join(home, `_murmur.${shells[place]}`)
    writeFileSync(file, stdout)
    return file
  })
  return {
    commands: names.map((name, place) => ({ name, flags: flagsOf(helps[place].stdout) })),
    files: { bash: files[0], zsh: files[1], fish: files[2] }
  }
}

const flagsOf = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)

const whatIsPrinted = printed()

/**
 * How bash completes each line, in the root of the repository: words separated by spaces, of which the last is
 * completed. There is no murmur in its PATH.
 */
function completedByBash(script: string, lines: readonly string[]): readonly (readonly string[])[] {
  const program = [
    'source "$1" && complete -p murmur > /dev/null && shift || exit 9',
    'for line; do IFS=" " read -ra COMP_WORDS <<< "$line"; [[ $line == *" " ]] && COMP_WORDS+=("")',
    'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _murmur; IFS="|"; echo "${COMPREPLY[*]}"; IFS=$" \\t\\n"; done'
  ].join('\n')
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `PATH=\n${program}`, '-', script, ...lines], {
    cwd: root,
    encoding: 'utf8'
  })
  if (status !== 0 || stderr !== '') throw new Error(`bash ended with ${status}: ${stderr}`)
  const replies = stdout.split('\n').slice(0, -1)
  return replies.map((line) => line.split('|').filter((word) => word !== ''))
}

/** Lines, and their completions. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['murmur sw', ['swarm']],
  ['murmur swarm ring', ['ring-4', 'ring-8']],
  ['murmur swarm --alg', ['--algorithm']],
  ['murmur swarm ring-4 --algorithm gossip', ['gossip-pga']],
  ['murmur sim ring-4 --task m', ['mlp', 'matrix-factorisation']],
  ['murmur peer ring-4 --data mni', ['mnist', 'mnist-t10k']],
  ['murmur init --graph hyper', ['hypercube', 'hypercube-matching']],
  ['murmur export model.safetensors --format o', ['onnx']],
  ['murmur swarm READ', ['README.md']],
  ['murmur swarm ring-4 --train mnist/m', ['mnist/mlp-by-label', 'mnist/mlp']],
  ['murmur help co', ['completion']],
  ['murmur completion z', ['zsh']]
]

bash.test(`bash completes commands, options, names and files, and starts no process for it${bash.note}`, async (t) => {
  const { files } = await whatIsPrinted
  const found = completedByBash(files.bash, [
    ...lines.map(([line]) => line),
    'murmur swarm --data = mni',
    'murmur report READ',
    'murmur report packag',
    'murmur peer ring-4 --wait '
  ])
  t.deepEqual(found, [...lines.map(([, words]) => words), ['mnist', 'mnist-t10k'], [], ['packages'], []])
})

bash.test(`bash completes every command, with every option that its help has${bash.note}`, async (t) => {
  const { commands, files } = await whatIsPrinted
  const [names, ...flags] = completedByBash(files.bash, [
    'murmur ',
    ...commands.map(({ name }) => (name === 'help' ? 'murmur swarm --' : `murmur ${name} --`))
  ])
  t.deepEqual(
    names,
    commands.map(({ name }) => name)
  )
  t.true(commands.length > 15, `${commands.length} commands were seen`)
  for (const [place, { name, flags: expected }] of commands.entries())
    if (name !== 'help') t.deepEqual(flags[place], expected, name)
})

test('docs/use/commands.md has every command', async (t) => {
  const { commands } = await whatIsPrinted
  const document = textOf('docs/use/commands.md')
  const names = commands.map(({ name }) => name).filter((name) => name !== 'help')
  t.deepEqual(
    names.filter((name) => !document.includes(`\`murmur ${name} `) && !document.includes(`\`murmur ${name}\``)),
    []
  )
})

fish.test(`fish completes the same${fish.note}`, async (t) => {
  const { files } = await whatIsPrinted
  const program = `source $argv[1]; for line in $argv[2..-1]; complete -C $line | string replace -r '\\t.*' '' | string join '|'; end`
  const { stdout, stderr } = spawnSync('fish', ['-c', program, files.fish, ...lines.map(([line]) => line)], {
    cwd: root,
    encoding: 'utf8'
  })
  const found = stdout.trimEnd().split('\n')
  t.deepEqual(
    found.map((line) => line.split('|').sort()),
    lines.map(([, words]) => [...words].sort()),
    stderr
  )
})

zsh.test(`zsh can read its script${zsh.note}`, async (t) => {
  const { files } = await whatIsPrinted
  const { status, stderr } = spawnSync('zsh', ['-n', files.zsh], { encoding: 'utf8' })
  t.is(status, 0, stderr)
})
