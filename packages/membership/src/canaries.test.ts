/** Random swarms detect a rule that is switched off: each canary has a seed that fails. */
import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { lying } from './liars.test.support.js'
import { Member } from './member.js'
import type { GossipNote, ProbeNote } from './notes.js'
import { trialOf, problemsIn } from './seeds.test.support.js'
import type { SwarmOptions } from './swarm.test.support.js'

type Args = ConstructorParameters<typeof Member>

/** A member that handles notes as a mutant would. */
class Deaf extends Member {
  constructor(
    readonly change: (note: GossipNote, self: PeerName) => Partial<GossipNote>,
    ...[options, now]: Args
  ) {
    super(options, now)
    this.self = options.self
  }
  readonly self: PeerName

  override receive(from: PeerName, text: string, now: number): string | undefined {
    const note = JSON.parse(text) as GossipNote | ProbeNote
    if (note.kind !== 'gossip') return super.receive(from, text, now)
    return super.receive(from, JSON.stringify({ ...note, ...this.change(note, this.self) }), now)
  }
}

class WithoutState extends Member {
  override donor(): undefined {
    return undefined
  }
}

class WithoutBroken extends Member {
  override isGone(peer: PeerName): boolean {
    return this.isDead(peer)
  }
}

const liar = { count: 8, liar: peerName('p03') }
const canaries: Readonly<Record<string, Partial<SwarmOptions>>> = {
  'one vote is enough': {
    ...liar,
    tamper: lying.wildly,
    settings: { startWithin: 3000, forgetAfter: 20_000, liars: 0 }
  },
  'what was lost is not asked for again': {
    loss: 0.2,
    memberOf: (...args) => new Deaf(() => ({ again: false, number: 1 }), ...args)
  },
  'nobody refutes': {
    memberOf: (...args) =>
      new Deaf((note, self) => ({ votes: note.votes.filter(({ target }) => target !== self) }), ...args)
  },
  'nobody takes a state': { memberOf: (...args) => new WithoutState(...args) },
  'leavers and broken links are waited for': { memberOf: (...args) => new WithoutBroken(...args) }
}

const withRule: Partial<SwarmOptions> = {
  settings: { startWithin: 3000, forgetAfter: 20_000 },
  memberOf: (...args) => new Member(...args)
}

for (const [title, change] of Object.entries(canaries)) {
  test(`canary: drawn swarms notice when ${title}`, (t) => {
    for (let seed = 1; seed <= 40; seed++) {
      const trial = trialOf(seed, change)
      const wrong = [...problemsIn(trial), ...trial.swarm.strikes]
      if (wrong.length === 0) continue
      // A seed that fails with the rule too says nothing about it.
      const sound = trialOf(seed, { ...change, ...withRule })
      if ([...problemsIn(sound), ...sound.swarm.strikes].length > 0) continue
      t.log(`seed ${seed}: ${wrong[0]}`)
      return t.pass()
    }
    return t.fail('no seed notices')
  })
}
