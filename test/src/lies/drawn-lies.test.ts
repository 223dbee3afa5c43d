/** A peer that lies in one field of its messages ends no honest run unnamed, and has no honest peer blamed. */
import test from 'ava'
import { drawRun, fieldsOf, records, tryLie } from './try-lie.js'

const first = Number(process.env.MURMURATION_SEED ?? 1)
const count = Number(process.env.MURMURATION_SEEDS ?? 1)

test.serial(
  `of drawn lies honest peers finish, or the liar is named: ${count} of each field from ${first}`,
  async (t) => {
    let lies = 0
    let ended = 0
    for (const record of records)
      for (const field of await fieldsOf(record))
        for (let seed = first; seed < first + count; seed++) {
          const tried = await tryLie(drawRun(record, field, seed))
          lies += tried.lies
          ended += Number(tried.hasEnded)
          t.deepEqual(tried.wrong, [], `to see it again: npm run lies -- ${seed} 1 ${record.name} '${field}'`)
        }
    t.log(`${lies} lies, ${ended} runs ended with the liar named`)
    t.true(lies > 100 * count)
  }
)

/** Lies that revealed what no other test here shows. */
const found: readonly (readonly [string, Parameters<typeof drawRun>[1], number, string])[] = [
  ['relay-sgd', 'number 0', 10, 'the sum of counts was passed on, and an honest peer blamed for it'],
  ['adapm', 'copies', 1, 'answers to copies of requests were counted against those who answered'],
  ['lapse', 'receiver', 2, 'requests for a row that was lost went round forever'],
  ['lapse', 'number 1', 70, 'a row that came for another request was not taken, though it was awaited'],
  ['petuum', 'round', 3, 'who was behind with its clock was not named by those who waited for it'],
  ['diloco', 'vector', 1002, 'an honest peer passed on a large sum, and was blamed'],
  ['late-gossip', 'vector', 41, 'an honest peer passed on a large mean, and was blamed'],
  ['async-diloco', 'copies', 8, 'a copy of a last message was in the place of another peer’s'],
  ['overlap-merge', 'vector', 1132, 'nobody named the sender of a vector with which training diverged'],
  ['overlap-merge', 'vector', 295, 'the first exchange came after some rounds, and nobody was named'],
  ['parameter-services', 'vector', 1012, 'a service that passed an update on was named, and nobody its sender'],
  ['parameter-services', 'part', 1012, 'a reply to no request was no fault'],
  ['classic-server', 'vector', 1015, 'nobody named the server of rows with which training diverged']
]

for (const [name, field, seed, what] of found)
  test.serial(`${name}, ${field} ${seed}: ${what}`, async (t) => {
    const record = records.find((each) => each.name === name)
    t.deepEqual(record && (await tryLie(drawRun(record, field, seed))).wrong, [])
  })
