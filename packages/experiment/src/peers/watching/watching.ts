import type { Members } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { NeighbourStatus, Peer } from '@murmuration/libp2p'
import type { Board, Membership, WatchServer } from '@murmuration/watch'
import {
  type Condition,
  intervalFor,
  intervalsPerQuestion,
  isQuestion,
  isReport,
  Leases,
  question,
  reportNote,
  type RunFacts,
  shortestInterval
} from '@murmuration/watch/reports'
import { epochText } from '../../base/epoch-text.js'
import type { RunEvent } from '../../base/events.js'
import { type RunPlan, startEvent } from '../../training/plan.js'
import { versions } from '../../base/versions.js'
import { OwnFigures } from './own-figures.js'

/** A page that shows the run, and what is on it. */
export interface Page {
  readonly board: Board
  readonly server: Pick<WatchServer, 'url' | 'send' | 'close'>
}

/** Another peer, as this one sees it now. */
export interface OtherPeer {
  readonly name: PeerName
  /** What the membership says of it; absent where it has none. */
  readonly condition?: Condition
  /** Its link; absent if it is no neighbour. */
  readonly link?: NeighbourStatus
}

/** Opens a page with these facts, which is told news at this interval. */
export type OpenPage = (facts: RunFacts, interval: Milliseconds, now: Milliseconds) => Promise<Page>

/** Sends reports of this peer to those that watch; if the peer watches itself, asks all others and serves the page. */
export class Watching {
  readonly figures: OwnFigures
  readonly #peer: Peer
  readonly #others: readonly PeerName[]
  readonly #interval: Milliseconds
  readonly #leases = new Leases()
  #members: Members | undefined
  #view: Page | undefined
  #ticks = 0
  #isOver = false

  constructor(peer: Peer, plan: RunPlan) {
    const { self } = peer.fabric
    const { servers = [] } = plan.options
    const all = [...plan.file.topology.peers, ...servers]
    this.#peer = peer
    this.#others = all.filter((name) => name !== self)
    this.#interval = intervalFor(all.length)
    this.figures = new OwnFigures(peer, servers.includes(self))
  }

  /** Whether a note is a question or a report for watching. */
  isMine(note: string): boolean {
    return isQuestion(note) || isReport(note)
  }

  /** Takes a note. Returns the problem, if it is invalid. */
  take(from: PeerName, note: string): string | undefined {
    const now = this.#peer.fabric.now()
    if (isQuestion(note)) return this.#leases.take(from, note, now)
    // Reports may still arrive after this peer has stopped watching.
    return this.#view?.board.take(from, note, now)
  }

  /** Opens the page, and returns its URL. Rejects as `open` does. */
  async serve(open: OpenPage, facts: RunFacts): Promise<string> {
    this.#view = await open(facts, this.#interval, this.#peer.fabric.now())
    return this.#view.server.url
  }

  /** Emits events, and shows them on the page. */
  showing(emit: (event: RunEvent) => void): (event: RunEvent) => void {
    return (event) => {
      this.show(event)
      emit(event)
    }
  }

  /**
   * Starts reporting and asking.
   *
   * @param isTold - whether another part listens to notes, and calls {@link take}; if not, this does
   */
  begin(members: Members | undefined, isTold: boolean): void {
    this.#members = members
    const { fabric } = this.#peer
    const note = (from: PeerName, text: string) => (this.isMine(text) ? this.take(from, text) : undefined)
    if (!isTold) fabric.listen({ note, heard: () => {}, refused: () => {} })
    fabric.spawn(async (activity) => {
      while (!this.#isOver) {
        this.#tick(activity.now())
        await activity.sleep(activity.now() + shortestInterval)
      }
    })
  }

  /** The other peers as this one sees them now, in the order of the file. */
  get others(): readonly OtherPeer[] {
    const links = new Map(this.#peer.neighbours().map((status) => [status.name, status]))
    const membership = this.#members && membershipOf(this.#members)
    return this.#others.map((name) => ({
      name,
      ...(membership && { condition: membership.standingOf(name).condition }),
      ...(links.has(name) && { link: links.get(name) })
    }))
  }

  /** Shows an event of the run on the page. */
  show(event: RunEvent): void {
    if (event.kind === 'evaluation') {
      if (event.of === 'mean') this.#view?.board.learn({ accuracy: event.accuracy })
      else if (event.of === this.#peer.fabric.self) this.figures.evaluated(event.accuracy)
    }
    const text = pageText(event)
    if (text !== undefined) this.#view?.board.note(text, this.#peer.fabric.now())
    if (event.kind === 'epoch') this.#view?.board.learn({ epoch: { number: event.epoch, members: event.members } })
  }

  /** Shows the last figures, and stops. */
  end(): void {
    if (this.#isOver) return
    this.#tick(this.#peer.fabric.now())
    this.#isOver = true
    this.#view?.server.close()
  }

  #tick(now: Milliseconds): void {
    const due = this.#leases.due(now)
    const isAsked = due.length > 0
    if (!isAsked && this.#view === undefined) return
    const report = this.figures.report(this.#members?.standing.state)
    const note = reportNote(report)
    for (const watcher of due) this.#peer.fabric.tell(watcher, note)
    if (this.#view === undefined) return
    const { board, server } = this.#view
    board.add(this.#peer.fabric.self, report, now)
    server.send(board.tick(now, this.#members && membershipOf(this.#members)))
    if (this.#ticks++ % ((intervalsPerQuestion * this.#interval) / shortestInterval) === 0) this.#ask()
  }

  #ask(): void {
    const knowledge = this.#members?.knowledge
    for (const peer of this.#others)
      if (!knowledge?.isDead(peer) && !knowledge?.hasLeft(peer)) this.#peer.fabric.tell(peer, question(this.#interval))
  }
}

/** What the page's list of events says of one; undefined for those that are not in it. */
function pageText(event: RunEvent): string | undefined {
  if (event.kind === 'epoch') return epochText(event)
  if (event.kind === 'step' && event.ends !== undefined)
    return `${event.peer}: training ends after round ${event.round + 1}: ${event.ends}`
  return event.kind === 'membership' || event.kind === 'note' ? event.text : undefined
}

/** The constant facts of a run, for the page. */
export function factsOf(plan: RunPlan, self: PeerName, about: RunFacts['about']): RunFacts {
  const { peers, topology, rounds, finalRounds, algorithm } = startEvent(plan)
  const servers = plan.options.servers ?? []
  return { ...versions, self, peers, servers, topology, algorithm, rounds, finalRounds, about }
}

function membershipOf({ knowledge, standing }: Members): Membership {
  const { state, members, present } = standing
  const conditionOf = (peer: PeerName): Condition => {
    const status = knowledge.recordOf(peer)?.status
    if (status === undefined) return 'absent'
    if (status === 'left') return 'left'
    if (status === 'ended') return 'done'
    if (knowledge.isDead(peer)) return 'dead'
    return knowledge.isPresent(peer) ? status : 'silent'
  }
  return {
    state,
    members: members.length,
    present: present.length,
    standingOf: (peer) => {
      const { round = 0, life = 0, waitsFor = [] } = knowledge.recordOf(peer) ?? {}
      return { condition: conditionOf(peer), round, life, waitsFor }
    }
  }
}
