import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { type NewsEntry, NewsLog } from './news-log.js'

const names = Array.from({ length: 20 }, (_, place) => peerName(`p${place}`))

const since = (log: NewsLog, from: number) => {
  const found: NewsEntry[] = []
  log.visit(from, (entry) => found.push(entry) > 0)
  return found
}

test('a peer that knows the log up to a number lacks what has changed since, once each, in the order of the last changes', (t) => {
  const random = createRandom(1, 'log')
  const log = new NewsLog(() => true)
  let order: NewsEntry[] = []
  for (let step = 0; step < 3000; step++) {
    const name = names[random.integer(names.length)]
    log.add(name)
    order = [...order.filter((each) => each !== name), name]
    const from = random.integer(order.length)
    t.deepEqual(since(log, 0), order)
    t.deepEqual(since(log, log.numberOf(order[from])), order.slice(from))
    t.deepEqual(since(log, log.numberOf(order[from]) + 1), order.slice(from + 1))
  }
})

test('entries that are no longer needed are dropped in time, and so is the memory for them', (t) => {
  const vote = (life: number) => ({ voter: names[0], target: names[1], life, refutation: 0, signature: 'x' })
  const votes = Array.from({ length: 5000 }, (_, life) => vote(life))
  const log = new NewsLog((entry) => entry === votes.at(-1) || entry === names[2])
  log.add(names[2])
  for (const each of votes) log.add(each)
  t.true(since(log, 0).length < 600)
  t.true(log.numberOf(votes[0]) === 0 && log.numberOf(names[2]) === 1)
  t.is(since(log, 0).at(-1), votes.at(-1))
})
