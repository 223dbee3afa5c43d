/** How the map of slow links chooses what it measures, and who is faster there. */
import test from 'ava'

interface Timed {
  readonly ms: readonly number[]
}

interface Choice {
  readonly gossip: readonly { readonly place: number }[]
}

const folder = new URL('../../studies/slow-links/', import.meta.url)
const load = (name: string): Promise<unknown> => import(new URL(name, folder).href)
const { choosing, fresh } = (await load('cells.mjs')) as Record<'choosing' | 'fresh', readonly number[]>
const { chosenIn, verdictOn } = (await load('choice.mjs')) as {
  chosenIn(known: ReadonlyMap<string, object>, methods: readonly object[], cell: object, judge: string): Choice
  verdictOn(gossips: readonly Timed[], centrals: readonly Timed[]): string
}

test('what is measured in a cell does not depend on the seeds that measure it', (t) => {
  t.true(fresh.length >= 8 && fresh.every((seed) => !choosing.includes(seed)))
  const method = { name: 'D-PSGD', family: 'gossip', configs: [{}, {}] }
  const line = (place: number, seed: number, ms: number) =>
    [`D-PSGD | ${place} | ${seed}`, { method: 'D-PSGD', place, seed, ms: { cell: ms } }] as const
  const chosen = [...choosing.map((seed) => line(0, seed, 10)), line(1, choosing[0], 11)]
  const place = (lines: typeof chosen) => chosenIn(new Map(lines), [method], { name: 'cell' }, 'own').gossip[0].place
  t.is(place(chosen), 0)
  t.is(place([...chosen, ...fresh.flatMap((seed) => [line(0, seed, 100), line(1, seed, 1)])]), 0)
})

test('a family wins a cell if it is faster than all that was measured of the other, beyond what seeds change', (t) => {
  const times = (...ms: readonly number[]) => ({ ms })
  const central = times(10, 20, 10, 20, 10, 20, 10, 20)
  const faster = times(8, 15, 8.2, 16, 7.9, 16, 8, 15.5)
  // On average 5 % faster, as a lead by 5 % was once called a win.
  const uncertain = times(8, 22, 8.2, 21, 9, 23, 9.1, 17)
  t.is(verdictOn([faster], [central]), 'gossip')
  t.is(verdictOn([central], [faster]), 'central')
  t.is(verdictOn([uncertain], [central]), 'tie')
  t.is(verdictOn([faster], [central, faster]), 'tie')
})
