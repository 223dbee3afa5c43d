import type { Milliseconds, PeerName, RefusalCode } from '@murmuration/core'
import type { FrameFault } from '@murmuration/wire'

/**
 * What a neighbour did wrong: a bad frame, or one out of sequence; a 'message' that the algorithm cannot use; a break
 * of the 'protocol'; or a 'flood', more than it may send.
 */
export type ReceiveFault = FrameFault | 'gap' | 'window' | 'message' | 'duplicate' | 'protocol' | 'flood'

/** An event on the network, for logs and displays. */
export type PeerEvent =
  | { readonly kind: 'listening'; readonly addresses: readonly string[] }
  /** A router forwards a port to this peer now. The addresses are the router's claim. */
  | { readonly kind: 'forwarded'; readonly addresses: readonly string[] }
  | { readonly kind: 'connecting'; readonly peer: PeerName }
  /**
   * Both directions are welcomed, or one for a peer that is not a neighbour; or the peer has restarted meanwhile.
   * `relay`: the address of the relay, if the link goes through one. `incarnation`: random for each of its processes,
   * once it has said hello.
   */
  | { readonly kind: 'ready'; readonly peer: PeerName; readonly relay?: string; readonly incarnation?: string }
  /** The same, but through a relay over which vectors are not allowed. */
  | { readonly kind: 'barred'; readonly peer: PeerName; readonly reason: string }
  /** The neighbour is connected, but sends nothing. `silentFor`: the time since its last message. */
  | { readonly kind: 'silent'; readonly peer: PeerName; readonly silentFor: Milliseconds }
  /** The link to or from a peer that is not a neighbour has ended. It is built again when something is sent. */
  | { readonly kind: 'idle'; readonly peer: PeerName }
  /** One side refuses the other: this peer ('us') or the neighbour ('them'). */
  | {
      readonly kind: 'refused'
      readonly peer: PeerName
      readonly by: 'us' | 'them'
      readonly code: RefusalCode
      readonly reason: string
    }
  /**
   * Peers that may not connect tried to: `count` of them since the last event, of which this is the last. Each peer id
   * counts once per peer list, as long as there are few; there are at most four events at once, then one a minute.
   */
  | {
      readonly kind: 'unknown-peer-refused'
      readonly id: string
      readonly address: string
      readonly reason: string
      readonly count: number
    }
  /** A peer was admitted by invitation. */
  | { readonly kind: 'admitted'; readonly peer: PeerName; readonly id: string }
  /** A peer no longer belongs to the run: its invitation was revoked, or another has its place. */
  | { readonly kind: 'put-out'; readonly peer: PeerName; readonly id: string }
  /**
   * An address of a peer was learnt. `by`: a seed's address, a peer's name, or the local network. It is unproven until
   * it is dialled.
   */
  | {
      readonly kind: 'introduced'
      readonly peer: PeerName
      readonly addresses: readonly string[]
      readonly by: string
    }
  /** A seed answers, or no longer does. */
  | { readonly kind: 'seed'; readonly address: string; readonly isReached: true }
  | { readonly kind: 'seed'; readonly address: string; readonly isReached: false; readonly reason: string }
  /** Nobody on the local network can find this peer. */
  | { readonly kind: 'not-on-lan'; readonly reason: string }
  /** A relay has a place for this peer, or no longer has. */
  | { readonly kind: 'relay'; readonly address: string; readonly isReached: true }
  | { readonly kind: 'relay'; readonly address: string; readonly isReached: false; readonly reason: string }
  /**
   * Faults of a neighbour, at most one event a minute per neighbour and kind. `count`: how many since the last event;
   * `detail`: the last one.
   */
  | {
      readonly kind: 'bad-frame'
      readonly peer: PeerName
      readonly fault: ReceiveFault
      readonly detail: string
      readonly count: number
    }
  /** A neighbour is refused for the time `wait` because of its faults. */
  | {
      readonly kind: 'shut-out'
      readonly peer: PeerName
      readonly wait: Milliseconds
      readonly faults: number
      readonly reason: string
    }
  /**
   * A new attempt after a failed one or a lost connection, at most `wait` ago. `attempt` counts from 1 and starts over
   * after a connection that lasted.
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

/** Takes events. Once it has thrown an error it is not called again, and its peer ends; see `PeerOptions`. */
export type PeerEventListener = (event: PeerEvent) => void
