import type { Milliseconds, PeerName, RefusalCode } from '@murmuration/core'
import type { FrameFault } from '@murmuration/wire'

/**
 * What a neighbour did wrong: a frame, or its place in the sequence; a 'message' that the algorithm has no use for; what the 'protocol' does not
 * allow; or more than it may do, a 'flood'.
 */
export type ReceiveFault = FrameFault | 'gap' | 'window' | 'message' | 'duplicate' | 'protocol' | 'flood'

/** What happens on the network, for logs and displays. */
export type PeerEvent =
  | { readonly kind: 'listening'; readonly addresses: readonly string[] }
  /** A router forwards a port to this peer now: where others can call it, if what the router says is so. */
  | { readonly kind: 'forwarded'; readonly addresses: readonly string[] }
  | { readonly kind: 'connecting'; readonly peer: PeerName }
  /** Both directions are welcomed; of a peer that is no neighbour, one of them. `relay`: the address of the relay by which they go, if they do. */
  | { readonly kind: 'ready'; readonly peer: PeerName; readonly relay?: string }
  /** The same, but by a relay over which vectors are not allowed. */
  | { readonly kind: 'barred'; readonly peer: PeerName; readonly reason: string }
  /** Connected, but it sends nothing. `silentFor`: the time since its last message. */
  | { readonly kind: 'silent'; readonly peer: PeerName; readonly silentFor: Milliseconds }
  /** The link to or from a peer that is no neighbour has ended: it is built again when something is sent. */
  | { readonly kind: 'idle'; readonly peer: PeerName }
  /** One side refuses the other: this peer ('us') or the neighbour ('them'). */
  | {
      readonly kind: 'refused'
      readonly peer: PeerName
      readonly by: 'us' | 'them'
      readonly code: RefusalCode
      readonly reason: string
    }
  /** A peer that may not connect tried to. Reported once per peer id and peer list. */
  | { readonly kind: 'unknown-peer-refused'; readonly id: string; readonly address: string; readonly reason: string }
  /** A peer was let in by invitation. */
  | { readonly kind: 'admitted'; readonly peer: PeerName; readonly id: string }
  /** A peer whose invitation was revoked, or whose place another has, is no peer of the run any more. */
  | { readonly kind: 'put-out'; readonly peer: PeerName; readonly id: string }
  /** An address of a peer was learnt: by whom is a seed's address, a peer's name, or the local network. Nothing is proven until it is called. */
  | {
      readonly kind: 'introduced'
      readonly peer: PeerName
      readonly addresses: readonly string[]
      readonly by: string
    }
  /** A seed answers, or no longer does. */
  | { readonly kind: 'seed'; readonly address: string; readonly isReached: true }
  | { readonly kind: 'seed'; readonly address: string; readonly isReached: false; readonly reason: string }
  /** A relay has a place for this peer, or no longer has. */
  | { readonly kind: 'relay'; readonly address: string; readonly isReached: true }
  | { readonly kind: 'relay'; readonly address: string; readonly isReached: false; readonly reason: string }
  /** A neighbour is at fault. Reported once a minute per neighbour and kind of fault: `count` is how many there were since, `detail` the last. */
  | {
      readonly kind: 'bad-frame'
      readonly peer: PeerName
      readonly fault: ReceiveFault
      readonly detail: string
      readonly count: number
    }
  /** A neighbour with so many faults since the start is refused for the time `wait`. */
  | {
      readonly kind: 'shut-out'
      readonly peer: PeerName
      readonly wait: Milliseconds
      readonly faults: number
      readonly reason: string
    }
  /**
   * Another attempt after one that failed, or a connection that was lost, `wait` ago at most. `attempt` counts from 1 and
   * starts over after a connection that held.
   */
  | {
      readonly kind: 'reconnecting'
      readonly peer: PeerName
      readonly attempt: number
      readonly wait: Milliseconds
      readonly reason: string
    }
  /** A neighbour has left. */
  | { readonly kind: 'left'; readonly peer: PeerName; readonly reason: string }
  /** A spawned activity failed, which stops the peer. */
  | { readonly kind: 'activity-failed'; readonly reason: string }

/** Takes events. It must not throw. */
export type PeerEventListener = (event: PeerEvent) => void
