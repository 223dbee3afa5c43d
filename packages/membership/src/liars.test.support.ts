/** Peers that lie in every way that their own key allows, and more. */
import type { PeerName } from '@murmuration/core'
import { hashOf } from './hash.js'
import { testSigner } from './network.test.support.js'
import type { GossipNote } from './notes.js'
import { type PeerRecord, recordText, type Vote, voteText } from './records.js'
import type { Swarm } from './swarm.test.support.js'

/** Replaces the content of a liar's notes. `change` returns the records and votes to send. */
export function liar(
  change: (note: GossipNote, self: PeerName, swarm: Swarm) => Partial<Pick<GossipNote, 'records' | 'votes' | 'round'>>
): (text: string, swarm: Swarm) => string {
  return (text, swarm) => {
    const note = JSON.parse(text) as GossipNote | { readonly kind: 'probe' }
    const { liar: self } = swarm.options
    if (note.kind !== 'gossip' || self === undefined) return text
    return JSON.stringify({ ...note, ...change(note, self, swarm) })
  }
}

/** A record of the liar with some fields changed, signed. */
export function signedRecord(record: PeerRecord, change: Partial<PeerRecord>): PeerRecord {
  const changed = { ...record, ...change }
  return { ...changed, signature: testSigner(record.name).sign(recordText(changed)) }
}

export function signedVote(vote: Omit<Vote, 'signature'>): Vote {
  return { ...vote, signature: testSigner(vote.voter).sign(voteText(vote)) }
}

/** The records of a note, and among them the liar's own: a later one with each note. */
function own(note: GossipNote, self: PeerName, swarm: Swarm, change: Partial<PeerRecord>): readonly PeerRecord[] {
  const record = swarm.member(self).recordOf(self)
  const rest = note.records.filter(({ name }) => name !== self)
  return record === undefined ? rest : [...rest, signedRecord(record, { beat: Math.floor(swarm.now), ...change })]
}

/** A vote against each of these, at the standing that the liar knows. */
function votesAgainst(targets: readonly PeerName[], self: PeerName, swarm: Swarm): Vote[] {
  return targets.flatMap((target) => {
    const record = swarm.member(self).recordOf(target)
    if (record === undefined || target === self) return []
    const { life, refutation } = record
    return [signedVote({ voter: self, target, life, refutation })]
  })
}

const others = (self: PeerName, swarm: Swarm) => swarm.names.filter((name) => name !== self)

export const lying = {
  /**
   * Now and then a vote against another peer, and a round that no peer is in; its last vote is some time before the end
   * of a trial.
   */
  wildly: liar((note, self, swarm) => {
    const target = swarm.names[hashOf(`${swarm.now} target`) % swarm.names.length]
    const isVote = swarm.now < 38_000 && hashOf(`${swarm.now}`) % 10 === 0
    return {
      round: 1e6,
      records: own(note, self, swarm, { round: 1e6 }),
      votes: isVote ? [...note.votes, ...votesAgainst([target], self, swarm)] : note.votes
    }
  }),
  /** Sends no vector, and is otherwise honest. */
  silent: liar(() => ({})),
  aboutRounds: liar((note, self, swarm) => ({ round: 1e6, records: own(note, self, swarm, { round: 1e6 }) })),
  votes: liar((note, self, swarm) => ({ votes: [...note.votes, ...votesAgainst(others(self, swarm), self, swarm)] })),
  /** Says 'here' to some and 'left' to others, under one number. */
  twice: liar((note, self, swarm) => ({
    records: own(note, self, swarm, { beat: 1000, status: note.number % 2 === 0 ? 'left' : 'here' })
  })),
  lives: liar((note, self, swarm) => ({ records: own(note, self, swarm, { life: 1 + Math.floor(swarm.now / 100) }) })),
  waitsFor: liar((note, self, swarm) => ({
    records: own(note, self, swarm, { waitsFor: others(self, swarm).slice(0, 8) })
  })),
  broken: liar((note, self, swarm) => ({
    records: own(note, self, swarm, { broken: others(self, swarm).slice(0, 8) })
  })),
  silence: liar((note, self, swarm) => ({
    records: own(note, self, swarm, { silent: others(self, swarm).slice(0, 8) })
  })),
  /** Signs votes in the names of others with its own key. */
  forges: liar((_note, self, swarm) => ({
    votes: others(self, swarm).map((voter, index, list) => ({
      ...signedVote({ voter: self, target: list[(index + 1) % list.length], life: 1, refutation: 0 }),
      voter
    }))
  }))
} as const
