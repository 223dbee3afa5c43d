/** The table of phases and events in docs/understand/membership.md, from the code. */
import { type PhaseFacts, type PeerPhase, phase } from './phase.js'

/** How a peer ends whose longest wait is over, by its phase. */
const ends: Readonly<Record<PeerPhase, string>> = {
  'entering': 'code 3',
  'catching up': 'code 3',
  'held': 'code 3',
  'alone': 'code 3',
  'training': '',
  'finishing': 'it leaves'
}
export const phases = Object.keys(ends) as readonly PeerPhase[]

/** What happens to a peer, as a change of what it knows. */
interface Event {
  readonly change: Partial<PhaseFacts>
  /** The phases in which it can happen; all but finishing when absent. */
  readonly in?: readonly PeerPhase[]
}

/** In words, as in the table. */
export const events: Readonly<Record<string, Event>> = {
  'the run begins with it': { change: { hasBegun: true }, in: ['entering'] },
  'a model is needed': { change: { needsModel: true } },
  'the model arrives': { change: { needsModel: false, hasBegun: true }, in: ['catching up'] },
  'no model is needed any more': { change: { needsModel: false }, in: ['catching up'] },
  'its group may not go on': { change: { isPaused: true } },
  'its group may go on': { change: { isPaused: false } },
  'others are to be awaited': { change: { awaitsOthers: true } },
  'they are there, or 10 s are over': { change: { awaitsOthers: false } },
  'it has no neighbour left': { change: { isAlone: true } },
  'it has a neighbour': { change: { isAlone: false } },
  'an earlier process of it is known': { change: { hasBegun: false } },
  'its last round ends': { change: { hasFinished: true }, in: ['training'] }
}

/** All that a peer can know. One that has no life is in no group that may not go on, has no round and no neighbours. */
export function* allKnown(): Iterable<PhaseFacts> {
  const both = [false, true]
  for (const hasFinished of both)
    for (const hasBegun of both)
      for (const needsModel of both)
        for (const isPaused of both)
          for (const awaitsOthers of both)
            for (const isAlone of both)
              if (hasBegun || !(hasFinished || isPaused || awaitsOthers || isAlone))
                yield { hasFinished, hasBegun, needsModel, isPaused, awaitsOthers, isAlone }
}

/** The phases that an event may lead to; none where it cannot happen. */
export function after(from: PeerPhase, { change, in: possible }: Event): readonly PeerPhase[] {
  if (from === 'finishing' || possible?.includes(from) === false) return []
  const known = [...allKnown()].filter((each) => phase(each) === from)
  const next = new Set(known.flatMap((each) => [...changed(each, change)].map(phase)))
  return phases.filter((each) => next.has(each))
}

/** A peer without a life knows nothing of its own; what one knows that gets a life is open. */
function changed(known: PhaseFacts, change: Partial<PhaseFacts>): Iterable<PhaseFacts> {
  const next = { ...known, ...change }
  if (!next.hasBegun) return [{ ...next, isPaused: false, awaitsOthers: false, isAlone: false }]
  if (known.hasBegun) return [next]
  return [...allKnown()].filter(
    ({ hasFinished, hasBegun, needsModel }) => !hasFinished && hasBegun && needsModel === next.needsModel
  )
}

/** In Markdown. */
export function phaseTable(): string {
  const rows = Object.entries(events).map(([name, event]) => {
    const cells = phases.map((from) => {
      const next = after(from, event)
      if (next.length === 0) return ''
      return next.length === 1 && next[0] === from ? '–' : next.join(', ')
    })
    return `| ${name} | ${cells.join(' | ')} |`
  })
  const head = `| event | ${phases.map((each) => `*${each}*`).join(' | ')} |`
  return [
    head,
    `|${' --- |'.repeat(phases.length + 1)}`,
    ...rows,
    `| the longest wait is over | ${Object.values(ends).join(' | ')} |`
  ].join('\n')
}
