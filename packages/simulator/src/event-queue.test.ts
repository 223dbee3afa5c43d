import test from 'ava'
import fc from 'fast-check'
import { type Event, EventQueue } from './event-queue.js'

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('push' as const), after: fc.nat(5) }),
    fc.record({ do: fc.constant('pop' as const) }),
    fc.record({ do: fc.constant('peek' as const) }),
    fc.record({ do: fc.constant('cancel' as const), which: fc.nat(30) })
  ),
  { maxLength: 100 }
)

test('events come in the order of time, then of pushing; cancelled ones never; also when earlier ones come after a look', (t) => {
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new EventQueue()
      const known: { readonly event: Event; readonly number: number }[] = []
      let now = 0
      for (const step of all) {
        const next = known
          .filter(({ event }) => !event.cancelled)
          .sort((left, right) => left.event.time - right.event.time || left.number - right.number)[0]
        if (step.do === 'push') {
          const event = { time: now + step.after, cancelled: false, fire: () => {} }
          queue.push(event)
          known.push({ event, number: known.length })
        } else if (step.do === 'cancel') {
          const chosen = known[step.which % (known.length + 1)]
          if (chosen !== undefined) chosen.event.cancelled = true
        } else {
          t.is(queue.peek(), next?.event)
          if (step.do === 'peek' || next === undefined) continue
          now = next.event.time
          queue.pop()
          next.event.cancelled = true
        }
      }
    }),
    { numRuns: 500 }
  )
})
