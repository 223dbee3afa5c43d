import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { NetworkFlow, Line, MaxMin, Use } from './max-min.js'

function solve(solver: MaxMin): void {
  solver.solve((flow, rate) => {
    flow.rate = rate
  })
}

const usesOf = (line: Line) => Array.from({ length: line.count }, (_, index) => line.use(index))

/** A flow over lines, each used with fraction 1. */
const flowOver = (lines: readonly Line[], cap = Infinity) =>
  new NetworkFlow(
    lines.map((line) => new Use(line, 1)),
    cap
  )

test('flows on one line get equal fractions, and a cap gives the rest to the others', (t) => {
  const line = new Line('line', 90)
  const solver = new MaxMin()
  const flows = [flowOver([line]), flowOver([line]), flowOver([line], 10)]
  for (const flow of flows) solver.add(flow)
  solve(solver)
  t.deepEqual(
    flows.map(({ rate }) => rate),
    [40, 40, 10]
  )
  solver.remove(flows[0])
  solve(solver)
  t.deepEqual(
    flows.map(({ rate }) => rate),
    [0, 80, 10]
  )
})

test('the example of Bertsekas and Gallager: a long flow gets what its fullest line leaves, the others take up the rest', (t) => {
  const a = new Line('a', 1)
  const b = new Line('b', 1)
  const c = new Line('c', 2)
  const solver = new MaxMin()
  const long = flowOver([a, b, c])
  const onA = [flowOver([a]), flowOver([a])]
  const onB = flowOver([b])
  const onC = flowOver([c])
  for (const flow of [long, ...onA, onB, onC]) solver.add(flow)
  solve(solver)
  const expected = [1 / 3, 1 / 3, 1 / 3, 2 / 3, 5 / 3]
  for (const [index, flow] of [long, ...onA, onB, onC].entries()) t.true(Math.abs(flow.rate - expected[index]) < 1e-12)
})

test('acknowledgements take their share of the other direction', (t) => {
  const there = new Line('there', 102)
  const back = new Line('back', 102)
  const solver = new MaxMin()
  const flows = [
    [there, back],
    [back, there]
  ].map(([one, other]) => new NetworkFlow([new Use(one, 1), new Use(other, 0.02)], Infinity))
  solver.add(flows[0])
  solve(solver)
  t.is(flows[0].rate, 102)
  solver.add(flows[1])
  solve(solver)
  t.deepEqual(
    flows.map(({ rate }) => rate),
    [100, 100]
  )
})

interface Network {
  readonly capacities: readonly number[]
  readonly flows: readonly {
    readonly lines: readonly number[]
    readonly cap: number
    readonly fractions: readonly number[]
  }[]
  /** The flow that begins or ends in each step. */
  readonly steps: readonly number[]
}

const networks: fc.Arbitrary<Network> = fc.integer({ min: 1, max: 8 }).chain((lines) =>
  fc.record({
    capacities: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: lines, maxLength: lines }),
    flows: fc.array(
      fc.record({
        lines: fc.uniqueArray(fc.nat(lines - 1), { minLength: 1, maxLength: 4 }),
        cap: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 60 })),
        fractions: fc.array(fc.constantFrom(1, 1, 0.05, 2), { minLength: 4, maxLength: 4 })
      }),
      { minLength: 1, maxLength: 12 }
    ),
    steps: fc.array(fc.nat(11), { minLength: 1, maxLength: 30 })
  })
)

function build({ capacities, flows }: Network) {
  const lines = capacities.map((capacity, index) => new Line(`line ${index}`, capacity))
  return {
    lines,
    flows: flows.map(
      (flow) =>
        new NetworkFlow(
          flow.lines.map((line, at) => new Use(lines[line], flow.fractions[at])),
          flow.cap
        )
    )
  }
}

/**
 * Checks that every flow is at its cap, or on a full line on which none is faster; and that no line is over its
 * capacity.
 */
function checkCertificate(t: ExecutionContext, lines: readonly Line[], active: readonly NetworkFlow[]): void {
  const used = (line: Line) =>
    active.reduce((sum, { rate, uses }) => sum + rate * (uses.find((use) => use.line === line)?.fraction ?? 0), 0)
  for (const line of lines) t.true(used(line) <= line.capacity * (1 + 1e-6), `${line.name} carries ${used(line)}`)
  for (const flow of active) {
    const isAtCap = flow.rate >= flow.cap * (1 - 1e-6)
    const hasBottleneck = flow.uses.some(
      ({ line }) =>
        used(line) >= line.capacity * (1 - 1e-6) &&
        usesOf(line).every(({ flow: { rate } }) => rate <= flow.rate * (1 + 1e-6))
    )
    t.true(isAtCap || hasBottleneck, `a flow at ${flow.rate} could get more`)
  }
}

test('however flows come and go, the rates have the max-min certificate and no line is over its capacity', (t) => {
  fc.assert(
    fc.property(networks, (network) => {
      const { lines, flows } = build(network)
      const solver = new MaxMin()
      const active = new Set<NetworkFlow>()
      for (const step of network.steps) {
        const flow = flows[step % flows.length]
        if (active.delete(flow)) solver.remove(flow)
        else {
          active.add(flow)
          solver.add(flow)
        }
        solve(solver)
        checkCertificate(t, lines, [...active])
      }
    }),
    { numRuns: 300 }
  )
})

test('solving step by step gives the rates of solving all at once', (t) => {
  fc.assert(
    fc.property(networks, (network) => {
      const stepwise = build(network)
      const whole = build(network)
      const one = new MaxMin()
      const other = new MaxMin()
      for (const flow of stepwise.flows) {
        one.add(flow)
        solve(one)
      }
      for (const flow of whole.flows) other.add(flow)
      solve(other)
      for (const [index, { rate }] of stepwise.flows.entries()) {
        t.true(Math.abs(rate - whole.flows[index].rate) <= 1e-6 * rate, `flow ${index}`)
      }
    }),
    { numRuns: 300 }
  )
})

test('only what a change reaches is solved again', (t) => {
  const solver = new MaxMin()
  const pairs = Array.from({ length: 100 }, (_, k) => new Line(`line ${k}`, 10))
  for (const line of pairs) solver.add(flowOver([line]))
  solve(solver)
  const changed: NetworkFlow[] = []
  solver.add(flowOver([pairs[7]]))
  solver.solve((flow, rate) => {
    flow.rate = rate
    changed.push(flow)
  })
  t.is(changed.length, 2)
})
