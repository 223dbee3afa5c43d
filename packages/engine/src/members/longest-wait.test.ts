import test from 'ava'
import { LongestWait } from './longest-wait.js'

test('a peer waits for others no longer than it may, and begins to wait anew once it has met one', (t) => {
  const longest = new LongestWait({ start: 2000, pause: 1000 }, 500, 1000)
  t.is(longest.exceeded(2500, false), undefined)
  t.is(longest.exceeded(2501, false), 'has waited 2 s for the run to begin')
  t.is(longest.exceeded(1501, true), 'has waited 1 s to continue')
  longest.met(1500)
  t.is(longest.exceeded(2500, true), undefined)
})

test('where others are there a peer waits for at least 32 timeouts for what it needs of them, but not forever', (t) => {
  const longest = new LongestWait({ start: 50_000, pause: 1000 }, 0, 1000)
  t.is(longest.exceeded(32_000, true, 'for the model of a'), undefined)
  longest.met(32_000)
  t.is(longest.exceeded(32_001, true, 'for the model of a'), 'has waited 32 s for the model of a')
  t.is(longest.exceeded(50_000, false, 'for the model of a'), undefined)
  t.is(longest.exceeded(50_001, false, 'for the model of a'), 'has waited 50 s for the model of a')
})

test('a peer that knows of a result, and reaches nobody that has it, waits for two timeouts from when it last met somebody', (t) => {
  const longest = new LongestWait({ start: 60_000, pause: 86_400_000 }, 1000, 5000)
  t.false(longest.isLongAlone(11_000))
  t.true(longest.isLongAlone(11_001))
  longest.met(10_000)
  t.false(longest.isLongAlone(20_000))
  t.true(longest.isLongAlone(20_001))
})
