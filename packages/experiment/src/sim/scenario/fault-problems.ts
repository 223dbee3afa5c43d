import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import { type Churn, expectedCrashes, type FaultEvent } from '@murmuration/simulator'
import { unknownPeer } from '@murmuration/files'
import type { ScenarioFaults } from './faults.js'

/**
 * Reports names that no peer has, intervals that end before they begin, and impossible events: a peer that is not
 * frozen cannot thaw.
 *
 * @param servers - those on machines of their own
 */
export function faultProblems(
  { rules, events, random, churn }: ScenarioFaults,
  peers: readonly PeerName[],
  servers: readonly PeerName[]
): Problem[] {
  const names = [...peers, ...servers]
  const tooFew =
    random !== undefined && peers.length < 2 ? [problem(['random'], 'found one peer, expected two or more')] : []
  const ofRules = rules.flatMap(({ from, to, after = 0, until = Infinity }, index) => [
    ...within(['rules', index], nameProblems({ from, to }, names)),
    ...(after < until ? [] : [problem(['rules', index, 'until'], `found ${until} ms, expected more than ${after} ms`)])
  ])
  const ofEvents = events.flatMap((event, index) => within(['events', index], eventProblems(event, names)))
  const ofChurn = churn === undefined ? [] : within(['churn', 'until'], churnProblems(churn, peers.length))
  return [...tooFew, ...ofRules, ...ofEvents, ...within(['events'], orderProblems(events)), ...ofChurn]
}

/** With more crashes than this, a simulation would take too long. */
const maxCrashes = 100_000

function churnProblems(churn: Churn, peers: number): Problem[] {
  const { after, until } = churn
  if (until <= after) return [problem([], `found ${until} ms, expected more than ${after} ms`)]
  const crashes = expectedCrashes(peers, churn)
  if (crashes <= maxCrashes) return []
  return [
    problem([], `found ${until} ms, which makes about ${Math.round(crashes)} crashes, expected at most ${maxCrashes}`)
  ]
}

function eventProblems(event: FaultEvent, known: readonly PeerName[]): Problem[] {
  if ('peer' in event) return nameProblems({ peer: event.peer }, known)
  if ('from' in event) {
    const { from, to } = event
    const same = from === to ? [problem(['to'], `found "${to}" again, expected another peer`)] : []
    return [...nameProblems({ from, to }, known), ...same]
  }
  return event.kind === 'partition' ? groupProblems(event.groups, known) : []
}

function groupProblems(groups: readonly (readonly PeerName[])[], known: readonly PeerName[]): Problem[] {
  const names = new Set(known)
  const seen = new Set<PeerName>()
  return groups.flatMap((group, index) =>
    group.flatMap((name, position) => {
      const at = ['groups', index, position]
      if (!names.has(name)) return [problem(at, unknownPeer(name, known))]
      if (seen.has(name)) return [problem(at, `found "${name}" again, expected it in one group`)]
      seen.add(name)
      return []
    })
  )
}

function nameProblems(names: Readonly<Record<string, PeerName | undefined>>, known: readonly PeerName[]): Problem[] {
  return Object.entries(names).flatMap(([key, name]) =>
    name === undefined || known.includes(name) ? [] : [problem([key], unknownPeer(name, known))]
  )
}

/**
 * For each event, the states of a peer, a connection or the network in which it is possible, and the state that it
 * leads to.
 */
const steps: Readonly<
  Record<Exclude<FaultEvent['kind'], 'skew'>, { readonly from: readonly string[]; readonly to: string }>
> = {
  crash: { from: ['up', 'frozen'], to: 'crashed' },
  restart: { from: ['crashed'], to: 'up' },
  freeze: { from: ['up'], to: 'frozen' },
  thaw: { from: ['frozen'], to: 'up' },
  leave: { from: ['up'], to: 'stopped' },
  join: { from: ['not yet there'], to: 'up' },
  partition: { from: ['whole', 'in parts'], to: 'in parts' },
  heal: { from: ['in parts'], to: 'whole' },
  clog: { from: ['open'], to: 'clogged' },
  unclog: { from: ['clogged'], to: 'open' }
}

/** Reports events that are impossible in the order of their times. Paths begin with the event's index. */
function orderProblems(events: readonly FaultEvent[]): Problem[] {
  const states = new Map<string, string>(
    events.flatMap((event) => (event.kind === 'join' ? [[event.peer, 'not yet there'] as const] : []))
  )
  const inOrder = events.map((event, index) => ({ event, index })).sort((left, right) => left.event.at - right.event.at)
  return inOrder.flatMap(({ event, index }) => {
    if (event.kind === 'skew') return []
    const { what, begin } = subjectOf(event)
    const state = states.get(what) ?? begin
    const { from, to } = steps[event.kind]
    states.set(what, to)
    if (from.includes(state)) return []
    const found = `found ${event.kind} of ${what} at ${event.at} ms, when it is ${state}`
    return [problem([index, 'do'], `${found}, expected it to be ${from.join(' or ')}`)]
  })
}

function subjectOf(event: Exclude<FaultEvent, { kind: 'skew' }>): { readonly what: string; readonly begin: string } {
  if ('peer' in event) return { what: event.peer, begin: 'up' }
  if ('from' in event) return { what: `the path from ${event.from} to ${event.to}`, begin: 'open' }
  return { what: 'the network', begin: 'whole' }
}
