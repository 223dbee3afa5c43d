import type { PeerName } from '@murmuration/core'
import type { PeerEvent } from '@murmuration/libp2p'
import type { NeighbourEvent, RunEvent } from '../../base/events.js'

/** Emits the network events of peer `self`; for a neighbour, only changes. */
export function linkEvents(self: PeerName, emit: (event: RunEvent) => void): (event: PeerEvent) => void {
  const last = new Map<string, string>()
  return (event) => {
    const runEvent = runEventOf(self, event)
    if (runEvent === undefined) return
    if (runEvent.kind === 'neighbour') {
      const text = `${runEvent.state} ${runEvent.incarnation} ${runEvent.reason ?? ''}`
      if (last.get(runEvent.neighbour) === text) return
      last.set(runEvent.neighbour, text)
    }
    emit(runEvent)
  }
}

/** A network event of peer `self` as an event of the run; undefined if users need not know of it. */
function runEventOf(self: PeerName, event: PeerEvent): RunEvent | undefined {
  const neighbour = (state: string, name: PeerName, reason?: string): NeighbourEvent => ({
    kind: 'neighbour',
    peer: self,
    neighbour: name,
    state,
    ...(reason === undefined ? {} : { reason })
  })
  switch (event.kind) {
    case 'connecting':
      return neighbour('connecting', event.peer)
    case 'ready':
      return {
        ...neighbour('ready', event.peer, event.relay && `through the relay at ${event.relay}`),
        ...(event.incarnation === undefined ? {} : { incarnation: event.incarnation })
      }
    case 'barred':
      return neighbour('barred', event.peer, event.reason)
    case 'silent':
      return neighbour('silent', event.peer, `no message for ${Math.round(event.silentFor / 1000)} s`)
    case 'refused':
      return neighbour(
        'refused',
        event.peer,
        `${event.by === 'us' ? 'this peer refuses it' : 'it refuses this peer'}: ${event.reason}`
      )
    case 'reconnecting':
      return neighbour('connecting', event.peer, event.reason)
    case 'left':
      return neighbour('left', event.peer, event.reason)
    case 'unknown-peer-refused':
      return { kind: 'note', text: `${self} refused ${refusedOf(event)}` }
    case 'admitted':
      return { kind: 'note', text: `${self}: admitted ${event.peer} by invitation: ${event.id}` }
    case 'put-out':
      return {
        kind: 'note',
        text: `${self}: ${event.peer} (${event.id}) is no longer admitted: its invitation was revoked, or another peer has its place`
      }
    case 'introduced':
      return {
        kind: 'note',
        text: `${self}: ${event.peer} may be at ${event.addresses.join(', ')}, according to ${event.by}`
      }
    case 'seed':
      return { kind: 'note', text: `${self}: ${seedOf(event)}` }
    case 'not-on-lan':
      return { kind: 'note', text: `${self}: --lan: ${event.reason}` }
    case 'forwarded':
      return { kind: 'note', text: `${self}: a router forwards ${event.addresses.join(', ')} to this machine` }
    case 'relay':
      return { kind: 'note', text: `${self}: ${relayOf(event)}` }
    case 'bad-frame':
      return { kind: 'note', text: `${self}: ${event.peer} is at fault (${faultOf(event)})` }
    case 'shut-out':
      return { kind: 'note', text: shutOutOf(self, event) }
    case 'activity-failed':
      return { kind: 'note', text: `${self}: ${event.reason}` }
    case 'idle':
    case 'listening':
      return undefined
  }
}

type EventOf<Kind> = Extract<PeerEvent, { readonly kind: Kind }>

function refusedOf({ id, address, reason, count }: EventOf<'unknown-peer-refused'>): string {
  return `${count === 1 ? '' : `${count} unknown peers, the last: `}${id} at ${address}: ${reason}`
}

function faultOf({ fault, detail, count }: EventOf<'bad-frame'>): string {
  return count === 1 ? `${fault}: ${detail}` : `${fault}, ${count} more times, the last: ${detail}`
}

function seedOf(event: EventOf<'seed'>): string {
  return event.isReached
    ? `the seed at ${event.address} answers`
    : `no answer from the seed at ${event.address}: ${event.reason}`
}

function relayOf(event: EventOf<'relay'>): string {
  return event.isReached
    ? `others can reach it through the relay at ${event.address}`
    : `not reached through the relay at ${event.address}: ${event.reason}`
}

function shutOutOf(self: PeerName, { peer, wait, faults, reason }: EventOf<'shut-out'>): string {
  return `${self} refuses ${peer} for ${Math.round(wait / 1000)} s after ${faults} faults, the last: ${reason}`
}
