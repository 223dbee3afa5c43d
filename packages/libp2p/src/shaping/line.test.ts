import test from 'ava'
import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { type Flight, ShapedFlow } from './flow.js'
import { ShapedLine } from './line.js'

/** A flow on `line` that records arrivals. */
function flowOn(line: ShapedLine) {
  const arrived: { readonly size: number; readonly due: number }[] = []
  const keep = (flights: readonly Flight[]) =>
    arrived.push(...flights.map(({ bytes, due }) => ({ size: bytes.byteLength, due })))
  const flow = new ShapedFlow(keep)
  line.add(flow)
  return { flow, arrived }
}

const bytes = (size: number) => new Uint8ArrayList(new Uint8Array(size))
const sum = (sizes: readonly { readonly size: number }[]) => sizes.reduce((total, { size }) => total + size, 0)

/** Processes all events of the line. */
function runOut(line: ShapedLine): void {
  while (line.nextTime < Infinity) line.advance(line.nextTime)
}

// 8 Mbit/s are 1000 bytes per millisecond.

test('bytes take size / rate on the line and then the latency', (t) => {
  const line = new ShapedLine(8e6)
  const { flow, arrived } = flowOn(line)
  flow.offer(bytes(100_000), 50, 25)
  runOut(line)
  t.is(sum(arrived), 100_000)
  t.true(Math.abs((arrived.at(-1)?.due ?? 0) - (50 + 100 + 25)) < 1e-6)
  t.is(arrived[0].due, 50 + 1.448 + 25)
})

test('an unlimited line passes everything at once, after the latency', (t) => {
  const line = new ShapedLine(Infinity)
  const { flow, arrived } = flowOn(line)
  flow.offer(bytes(1_000_000), 7, 3)
  t.is(line.nextTime, 7)
  line.advance(7)
  t.deepEqual(arrived, [])
  t.is(line.nextTime, 10)
  line.advance(10)
  t.deepEqual(arrived, [{ size: 1_000_000, due: 10 }])
})

test('two flows share a line equally, and the last one gets all of it', (t) => {
  const line = new ShapedLine(8e6)
  const one = flowOn(line)
  const two = flowOn(line)
  one.flow.offer(bytes(50_000), 0)
  two.flow.offer(bytes(100_000), 0)
  runOut(line)
  t.true(Math.abs((one.arrived.at(-1)?.due ?? 0) - 100) <= 1.448)
  t.true(Math.abs((two.arrived.at(-1)?.due ?? 0) - 150) < 1e-6)
  const halfway = two.arrived.filter(({ due }) => due <= 60)
  t.true(Math.abs(sum(halfway) - 30_000) <= 1448)
})

test('a capped flow gets its cap, and another the rest of the line', (t) => {
  const line = new ShapedLine(8e6)
  const slow = flowOn(line)
  const fast = flowOn(line)
  slow.flow.cap = 400
  slow.flow.offer(bytes(40_000), 0)
  fast.flow.offer(bytes(60_000), 0)
  runOut(line)
  for (const { arrived } of [slow, fast]) {
    t.true(Math.abs((arrived.at(-1)?.due ?? 0) - 100) <= 4, `${arrived.at(-1)?.due}`)
  }
})

test('bytes that are sent later do not arrive earlier, whatever their latency', (t) => {
  const line = new ShapedLine(Infinity)
  const { flow, arrived } = flowOn(line)
  flow.offer(bytes(1), 0, 30)
  flow.offer(bytes(2), 1, 5)
  runOut(line)
  t.deepEqual(arrived, [
    { size: 1, due: 30 },
    { size: 2, due: 30 }
  ])
})

test('a flow that is held delivers nothing and leaves the line to others', (t) => {
  const line = new ShapedLine(8e6)
  const held = flowOn(line)
  const other = flowOn(line)
  held.flow.offer(bytes(10_000), 0)
  held.flow.hold()
  other.flow.offer(bytes(10_000), 0)
  runOut(line)
  t.is(sum(held.arrived), 0)
  t.true(Math.abs((other.arrived.at(-1)?.due ?? 0) - 10) < 1e-6)
  held.flow.letGo(40)
  runOut(line)
  t.true(Math.abs((held.arrived.at(-1)?.due ?? 0) - 50) < 1e-6)
})

test('at most 16 MiB of a flow are in flight', (t) => {
  const line = new ShapedLine(Infinity)
  const { flow } = flowOn(line)
  for (let count = 0; count < 40; count++) flow.offer(bytes(1 << 20), 0, 1000)
  line.advance(0)
  t.is(flow.waiting, 24 << 20)
  t.is(flow.load, 40 << 20)
})

/** Offers at distinct times: the flow, and the number of bytes. */
const offers = fc.array(
  fc.record({
    flow: fc.integer({ min: 0, max: 2 }),
    size: fc.integer({ min: 1, max: 20_000 }),
    wait: fc.integer({ min: 0, max: 30 })
  }),
  { minLength: 1, maxLength: 30 }
)

test('a late look finds the same as looks in time', (t) => {
  fc.assert(
    fc.property(offers, (plan) => {
      const run = (isPunctual: boolean) => {
        const line = new ShapedLine(8e6)
        const flows = [flowOn(line), flowOn(line), flowOn(line)]
        flows[1].flow.cap = 300
        let now = 0
        for (const [index, { flow, size, wait }] of plan.entries()) {
          // No two events have the same time, for which the order is not defined.
          now += wait + (index + 1) * 1e-5
          while (isPunctual && line.nextTime < now) line.advance(line.nextTime)
          flows[flow].flow.offer(bytes(size), now)
        }
        if (isPunctual) runOut(line)
        else line.advance(now + 1e6)
        return flows.map(({ arrived }) => arrived)
      }
      t.deepEqual(run(false), run(true))
    })
  )
})

test('no flow or line exceeds its rate, and no byte is lost', (t) => {
  fc.assert(
    fc.property(offers, (plan) => {
      const line = new ShapedLine(8e6)
      const flows = [flowOn(line), flowOn(line), flowOn(line)]
      flows[1].flow.cap = 300
      let now = 0
      for (const { flow, size, wait } of plan) flows[flow].flow.offer(bytes(size), (now += wait))
      runOut(line)
      const begin = plan[0].wait
      const all = flows.flatMap(({ arrived }) => arrived).sort((left, right) => left.due - right.due)
      t.is(sum(all), sum(plan))
      for (const [index, { due }] of all.entries()) t.true(sum(all.slice(0, index + 1)) <= 1000 * (due - begin) + 1e-6)
      const capped = flows[1].arrived
      // The cap allows catching up for one late turn.
      for (const [index, { due }] of capped.entries()) {
        t.true(sum(capped.slice(0, index + 1)) <= 300 * (due - begin) + 1448 + 1e-6)
      }
    }),
    { numRuns: 50 }
  )
})

test('bytes that a busy process sees late use the idle time before', (t) => {
  const line = new ShapedLine(8e6)
  const one = flowOn(line)
  const two = flowOn(line)
  // Each flow offers half of the line's rate. The second one's bytes are offered 8 ms late.
  for (let time = 0; time < 100; time += 2) {
    one.flow.offer(bytes(1000), time)
    line.advance(time + 1.9)
    if (time >= 8) {
      line.makeUp(time - 8, 1000)
      two.flow.offer(bytes(1000), time - 8)
    }
  }
  for (let time = 92; time < 100; time += 2) {
    line.makeUp(time, 1000)
    two.flow.offer(bytes(1000), time)
  }
  runOut(line)
  t.is(sum([...one.arrived, ...two.arrived]), 100_000)
  t.true(Math.max(...[...one.arrived, ...two.arrived].map(({ due }) => due)) < 100 + 2)
})

test('catching up with late bytes neither exceeds the rate nor loses a byte', (t) => {
  const late = fc.array(
    fc.record({
      flow: fc.integer({ min: 0, max: 2 }),
      size: fc.integer({ min: 1, max: 20_000 }),
      wait: fc.integer({ min: 0, max: 30 }),
      late: fc.integer({ min: 0, max: 40 })
    }),
    { minLength: 1, maxLength: 30 }
  )
  fc.assert(
    fc.property(late, (plan) => {
      const line = new ShapedLine(8e6)
      const flows = [flowOn(line), flowOn(line), flowOn(line)]
      let time = 0
      let now = 0
      for (const { flow, size, wait, late } of plan) {
        time += wait
        now = Math.max(now, time + late)
        line.advance(now)
        line.makeUp(time, size)
        flows[flow].flow.offer(bytes(size), time)
      }
      runOut(line)
      const begin = plan[0].wait
      const all = flows.flatMap(({ arrived }) => arrived).sort((left, right) => left.due - right.due)
      t.is(sum(all), sum(plan))
      for (const [index, { due }] of all.entries()) t.true(sum(all.slice(0, index + 1)) <= 1000 * (due - begin) + 1e-6)
    })
  )
})
