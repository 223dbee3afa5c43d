/** The tutorials: the command accepts their files and commands; those that need only one machine are run unchanged. */
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { murmurInTurn, temporaryFolder } from './command.js'
import { repositoryFiles, root, textOf } from '../repository.js'

const documents = repositoryFiles().filter((file) => /^(README|docs\/.*)\.md$/.test(file))
const blocksOf = (text: string, ...languages: readonly string[]) =>
  [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```/gm)].flatMap(([, language, body]) =>
    languages.includes(language) ? [body] : []
  )

/** The words of all commands in the shell blocks of a text, without comments. */
const commandsOf = (text: string): string[][] =>
  blocksOf(text, 'sh', '')
    .flatMap((body) => body.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => /^ *(?:npx )?murmur (.*?)(?: +#.*)?$/.exec(line)?.[1].trim() ?? [])
    .map((line) => line.split(/ +/))

test('every command in the documents is there, with the options that it is given', async (t) => {
  const all = documents.flatMap((file) => commandsOf(textOf(file)).map((words) => ({ file, words })))
  const names = [...new Set(all.map(({ words }) => words[0]))]
  const help = await murmurInTurn(
    names.map((name) => [name, '--help']),
    await temporaryFolder()
  )
  const known = new Map(names.map((name, place) => [name, new Set(help[place].stdout.match(/--[a-z-]+/g))]))
  t.true(all.length > 30, `${all.length} commands were seen`)
  for (const [place, name] of names.entries()) t.is(help[place].code, 0, name)
  for (const { file, words } of all) {
    for (const option of words.filter((word) => /^--[a-z]/.test(word))) {
      t.true(known.get(words[0])?.has(option.split('=')[0]), `${file}: murmur ${words.join(' ')}: ${option}`)
    }
  }
})

/**
 * Commands that need no second machine and no file of the reader's, and that sim.test.ts and own-algorithm.test.ts do
 * not run.
 */
const isAlone = ([name, ...words]: readonly string[]) =>
  name === 'topology' ||
  (name === 'sim' && !words.some((word) => ['--part', 'scenario.yaml'].includes(word))) ||
  (name === 'swarm' && words.includes('kernel.yaml'))

for (const name of readdirSync(`${root}docs/use/tutorials`)) {
  test(`what ${name} has the reader type on one machine works as it stands`, async (t) => {
    const text = textOf(`docs/use/tutorials/${name}`)
    const folder = await temporaryFolder()
    for (const body of blocksOf(text, 'yaml')) {
      const [, file] = /^# (\S+\.yaml)\n/.exec(body) ?? []
      t.truthy(file, 'a file of a tutorial begins with its name')
      writeFileSync(join(folder, file), body)
    }
    cpSync(`${root}topologies`, join(folder, 'topologies'), { recursive: true })
    const commands = commandsOf(text).filter(isAlone)
    // One thread is enough, and does not change the results.
    const frugal = commands.map((words) => (words[0] === 'sim' ? [...words, '--threads', '1'] : words))
    const results = await murmurInTurn(frugal, folder, folder)
    for (const [place, { code, stdout, stderr }] of results.entries()) {
      t.is(code, 0, `${commands[place].join(' ')}: ${stderr}`)
      if (commands[place][0] !== 'swarm') continue
      const shown = blocksOf(text, '').flatMap((body) => body.split('\n').map((line) => line.split(', …')[0]))
      for (const line of shown) t.true(stdout.includes(line), `found no "${line}" in ${stdout}`)
    }
    t.pass()
  })
}
