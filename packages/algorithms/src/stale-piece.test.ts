import test from 'ava'
import fc from 'fast-check'
import { StalePiece } from './stale-piece.js'

test('a stale piece holds every update once, in whatever order they come, and knows the slowest worker’s clock', (t) => {
  const pushes = fc.array(fc.record({ worker: fc.nat(2), clock: fc.nat(6) }), { maxLength: 100 })
  fc.assert(
    fc.property(pushes, (given) => {
      const piece = new StalePiece({ offset: 5, length: 3 }, Float32Array.of(0, 0, 0), 3)
      const clocks = [0, 0, 0]
      for (const { worker, clock } of given) {
        const before = Math.min(...clocks)
        if (clock === clocks[worker]) clocks[worker]++
        const update = Float32Array.from([0, 1, 2], (element) => (element === worker ? 1 : 0))
        t.is(piece.add(worker, clock, update), Math.min(...clocks) > before)
        t.is(piece.slowest, Math.min(...clocks))
        t.deepEqual([...piece.snapshot()], clocks)
        t.is(piece.clockOf(worker), clocks[worker])
      }
    })
  )
})
