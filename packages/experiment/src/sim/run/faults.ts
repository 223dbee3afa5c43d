import type { PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { drawChurn, drawFaults, type FaultEvent, type Faults, type FaultRule } from '@murmuration/simulator'
import type { Scenario } from '../scenario/scenario.js'
import { serversOf } from '../scenario/servers.js'
import type { SimRun } from '../scenario/sweep.js'

/**
 * The faults of a run: those in the file, and those drawn for the seed, which are the same for all methods. Servers on
 * a peer's machine have the faults of that peer. Events of servers that this method does not have are left out. Peers
 * that are named by an event have no churn.
 *
 * @param peers - those that take part, in the order of the topology
 */
export function faultsOf(
  { faults }: Pick<Scenario, 'faults'>,
  { method, seed }: Pick<SimRun, 'method' | 'seed'>,
  peers: readonly PeerName[]
): Faults {
  const { rules, events, random, churn } = faults
  const servers = serversOf(method, peers)
  const machines = new Map<PeerName, PeerName[]>(peers.map((peer) => [peer, [peer]]))
  for (const { name, on = name } of servers) machines.set(on, [...(machines.get(on) ?? []), name])
  const onMachine = (name: PeerName) => machines.get(name) ?? []
  const canDraw = random !== undefined && peers.length > 1
  const drawn = canDraw ? drawFaults(createRandom(seed, 'faults'), peers, random).events : []
  const named = new Set(events.flatMap((event) => ('peer' in event ? [event.peer] : [])))
  const others = peers.filter((peer) => !named.has(peer))
  const churned = churn === undefined ? [] : drawChurn(createRandom(seed, 'churn'), others, churn)
  return {
    rules: rules.flatMap((rule) => rulesOn(rule, onMachine)),
    events: [...events, ...drawn, ...churned]
      .flatMap((event) => eventsOn(event, onMachine))
      .sort((left, right) => left.at - right.at)
  }
}

type OnMachine = (name: PeerName) => readonly PeerName[]

function rulesOn({ from, to, ...rest }: FaultRule, onMachine: OnMachine): readonly FaultRule[] {
  const ends = (name: PeerName | undefined) => (name === undefined ? [undefined] : onMachine(name))
  return ends(from).flatMap((sender) =>
    ends(to).map((receiver) => ({
      ...rest,
      ...(sender === undefined ? {} : { from: sender }),
      ...(receiver === undefined ? {} : { to: receiver })
    }))
  )
}

function eventsOn(event: FaultEvent, onMachine: OnMachine): readonly FaultEvent[] {
  switch (event.kind) {
    case 'heal':
      return [event]
    case 'partition':
      return [{ ...event, groups: event.groups.map((group) => group.flatMap(onMachine)) }]
    case 'clog':
    case 'unclog':
      return onMachine(event.from).flatMap((from) => onMachine(event.to).map((to) => ({ ...event, from, to })))
    default:
      return onMachine(event.peer).map((peer) => ({ ...event, peer }))
  }
}
