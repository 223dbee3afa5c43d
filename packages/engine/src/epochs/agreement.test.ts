import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { type Explored, explore } from '../edges/explore.test.support.js'
import { agreementModel, type AgreementModelOptions } from './agreement-model.test.support.js'
import { AgreementSwarm, defaultRules, epochOfAll, type Sent, signerOf } from './agreement-swarm.test.support.js'
import { type Epoch, isMember, isQuorum } from './epoch.js'
import { type EpochNote, noteText, readNote } from './notes.js'
import { agreementWith, type Change } from './open-agreement.test.support.js'

function textOf({ problem }: Explored): string {
  return problem === undefined ? '' : `${problem.text}:\n${problem.steps.join('\n')}`
}

type Size = Omit<AgreementModelOptions, 'agreement'>

// test/agreement.mjs explores larger ones.
const whole: readonly [string, Size, number][] = [
  ['a death, a restart, two ballots each', { deaths: 1, restarts: 1, ballots: 2 }, 25_000],
  ['a failed round, a wrong verdict', { failures: 1, mistakes: 1, ballots: 1 }, 20_000],
  ['a death, a wrong verdict', { deaths: 1, mistakes: 1, ballots: 1 }, 15_000],
  ['a death, two rounds', { deaths: 1, rounds: 2, ballots: 1 }, 2500],
  ['two deaths, two epochs', { deaths: 2, ballots: 1, epochs: 2 }, 1000]
]
for (const [title, size, least] of whole) {
  test.serial(`one value for each epoch, with a quorum of the last one, and promises are kept: ${title}`, async (t) => {
    const found = explore(agreementModel({ agreement: await agreementWith(), ...size }))
    t.log(`${found.states} states`)
    t.is(textOf(found), '')
    t.true(found.states > least)
  })
}

const inAgreement = (before: string, after: string): Change => ({ file: 'agreement', before, after })

const mutants: readonly [string, readonly Change[], Size, RegExp][] = [
  [
    'a quorum of one more',
    [{ file: 'epoch', before: ': 2 * count > members.length', after: ': 2 * count > members.length - 2' }],
    { mistakes: 1, ballots: 1 },
    /has no quorum of the last one/
  ],
  [
    'what a promise has accepted',
    [inAgreement('...(accepted && { accepted })', '')],
    { mistakes: 1, ballots: 2 },
    /epoch 1 is .* and /
  ],
  [
    'adopting what was accepted',
    [inAgreement('if (highest !== undefined)', 'if (false)')],
    { mistakes: 1, ballots: 2 },
    /epoch 1 is .* and /
  ],
  [
    'lives',
    [
      inAgreement(
        'isMember(this.#epoch, this.#options.self, this.#around.life)',
        'isMember(this.#epoch, this.#options.self)'
      )
    ],
    { deaths: 1, restarts: 1, ballots: 1 },
    /promises in life 2/
  ],
  [
    'one round for equal models',
    [{ file: 'next-epoch', before: '!isEqual || model.round === round', after: 'true' }],
    { rounds: 1, deaths: 1, ballots: 1 },
    /takes the mean of models of/
  ],
  [
    'promises before votes',
    [
      inAgreement(
        '[...promises].map((',
        '[...promises].filter(([name]) => !this.#around.isGone({ name, life: 1 })).map(('
      )
    ],
    { mistakes: 1, ballots: 1 },
    /which has promised/
  ],
  [
    'giving up a proposal for a value under a higher ballot',
    [
      inAgreement(
        'isBefore(this.#proposal.ballot, ballot))\n            this.#proposal = undefined',
        'false)\n            this.#proposal = undefined'
      )
    ],
    { failures: 1, mistakes: 1, ballots: 1 },
    /accepts under a lower ballot/
  ],
  [
    'following what was accepted',
    [inAgreement('this.#follows(from, ballot, now);\n        this.#accepted', 'this.#accepted')],
    { mistakes: 1, ballots: 1 },
    /does not follow what it has accepted/
  ],
  [
    'a new standing for each epoch',
    [inAgreement('this.#due = this.#standing = this.#reasonSince', 'this.#due = this.#reasonSince')],
    { failures: 1, ballots: 1, epochs: 2 },
    /trains after its promise/
  ]
]
for (const [rule, changes, size, problem] of mutants) {
  test.serial(`an agreement without ${rule} is found out`, async (t) => {
    t.regex(textOf(explore(agreementModel({ agreement: await agreementWith(changes), ...size }))), problem)
  })
}

const [a, b, c, d, e] = [...'abcde'].map(peerName)
const all = [a, b, c]

test('a proposer waits for a member with a model, even beyond the timeout', (t) => {
  const swarm = new AgreementSwarm(all, defaultRules)
  for (const name of all) swarm.start(name, 1, 7, epochOfAll(all))
  for (const name of [b, c]) swarm.of(name).standing = { opened: -1, round: 0, hasModel: false, samples: 1 }
  swarm.of('a').isBusy = true
  for (const name of [b, c]) swarm.of(name).gone.set(a, 1)
  swarm.pass(10_000)
  t.deepEqual(
    swarm.living.map(({ agreement }) => agreement.epoch.number),
    [0, 0, 0]
  )
  for (const name of [b, c]) swarm.of(name).gone.clear()
  swarm.of('a').isBusy = false
  swarm.pass(1000)
  t.deepEqual(swarm.of('b').agreement.epoch.givers, [a])
})

test('a member that was never asked to stop, and is in the next epoch, stops first, and begins it', (t) => {
  const swarm = new AgreementSwarm(all, defaultRules)
  for (const name of all) swarm.start(name, 1, 7, epochOfAll(all))
  const value: Epoch = { ...epochOfAll(all), number: 1, round: 7, givers: [a] }
  const { agreement } = swarm.of('b')
  const accepted: EpochNote = { kind: 'accept', epoch: 1, ballot: [1, a], value }
  const signatureFrom = (name: string) => {
    const process = swarm.of(name).agreement
    process.receive(a, noteText(accepted), 0)
    const [{ note }] = process.take()
    return readNote(note, new Set<string>(all)) as Extract<EpochNote, { kind: 'accepted' }>
  }
  const accepts = [b, c].map((name) => [name, signatureFrom(name).signature] as const)
  t.false(agreement.mustStop)
  agreement.receive(a, noteText({ kind: 'decided', decisions: [{ ballot: [1, a], value, accepts }] }), 0)
  t.is(agreement.epoch.number, 1)
  t.true(agreement.mustStop)
  agreement.receive(a, noteText({ kind: 'prepare', epoch: 2, ballot: [1, a] }), 0)
  agreement.stopped({ opened: 0, round: 7, hasModel: true, samples: 1 }, 0)
  t.deepEqual(agreement.take(), [], 'what it has is not promised: it changes when the epoch begins')
  agreement.started()
  t.true(agreement.mustStop, 'the promise is due')
  agreement.stopped({ opened: 1, round: 7, hasModel: true, samples: 1 }, 0)
  t.regex(agreement.take()[0].note, /"promise".*"opened":1/)
})

test('members whose keys sign later agree: an accept is sent, and counted, once it is signed', async (t) => {
  let accepted = 0
  const sent = ({ note }: Sent) => void (accepted += note.includes('"accepted"') ? 1 : 0)
  const swarm = new AgreementSwarm(all, defaultRules, { sent })
  let sign = () => {}
  const allowed = new Promise<void>((resolve) => (sign = resolve))
  swarm.signerOf = (name) => {
    const signer = signerOf(name)
    return { ...signer, sign: async (text) => allowed.then(() => signer.sign(text)) }
  }
  for (const name of all) swarm.start(name, 1, 7, epochOfAll(all))
  swarm.crash(c)
  for (const name of [a, b]) swarm.of(name).gone.set(c, 1)
  swarm.pass(5000)
  t.is(accepted, 0)
  t.is(swarm.of('a').agreement.epoch.number, 0)
  sign()
  for (let step = 0; step < 20; step++) {
    await new Promise((resolve) => setImmediate(resolve))
    swarm.pass(100)
  }
  t.true(accepted > 0)
  for (const { agreement } of swarm.living)
    t.deepEqual([agreement.epoch.number, agreement.epoch.members.length], [1, 2])
})

test('a value of 64 members is told to who has missed eight of them', (t) => {
  const many = Array.from({ length: 64 }, (_, index) =>
    peerName(`peer-with-a-long-name-${String(index).padStart(2, '0')}`)
  )
  const swarm = new AgreementSwarm(many, defaultRules)
  for (const name of many) swarm.start(name, 1, 7, epochOfAll(many))
  const last = many[63]
  for (const name of many) swarm.cut.add(`${name} ${last}`).add(`${last} ${name}`)
  for (const name of many) swarm.of(name).gone.set(last, 1)
  for (let epoch = 0; epoch < 9; epoch++) {
    for (const name of many) if (name !== last) swarm.of(name).fail(swarm.now)
    swarm.pass(500)
  }
  swarm.cut.clear()
  const longest = Math.max(...swarm.living.map(({ agreement }) => agreement.epoch.number))
  t.true(longest >= 8, String(longest))
  const sizes: number[] = []
  swarm.isLost = ({ note }) => sizes.push(note.length) < 0
  swarm.of(last).agreement.askForNews()
  swarm.carry(swarm.of(last))
  swarm.pass(2000)
  t.true(Math.max(...sizes) <= 1 << 16, String(Math.max(...sizes)))
  t.is(swarm.of(last).agreement.epoch.number, swarm.of(many[0]).agreement.epoch.number)
})

for (const kind of ['prepare', 'accept'] as const) {
  test(`a member that sends one ${kind} after another does not keep the others from an epoch`, (t) => {
    const peers = [a, b, c, d]
    const swarm = new AgreementSwarm(peers, defaultRules)
    for (const name of peers) swarm.start(name, 1, 7, epochOfAll(peers))
    swarm.crash(d)
    swarm.of('c').isBusy = true
    for (const name of [a, b, c]) swarm.of(name).gone.set(d, 1)
    const value: Epoch = { ...epochOfAll([a, b, c]), number: 1, round: 7, givers: [c] }
    const wait = () => swarm.of('a').agreement.epoch.number === 0 && swarm.now < 120_000
    for (let number = 1; wait(); number++) {
      const ballot = [number * 10, c] as const
      const lie: EpochNote = kind === 'prepare' ? { kind, epoch: 1, ballot } : { kind, epoch: 1, ballot, value }
      for (const to of [a, b]) swarm.send({ from: c, to, note: noteText(lie) })
      swarm.pass(500)
    }
    t.true(swarm.now < 60_000, `${swarm.now} ms`)
    t.false(isMember(swarm.of('a').agreement.epoch, d))
  })
}

/** A run with lost notes, deaths, restarts, wrong verdicts and failed rounds for 20 s, and none after that. */
function trial(seed: number): string | undefined {
  const random = createRandom(seed, 'agreement')
  const peers = [a, b, c, d, e].slice(0, 3 + random.integer(3))
  const first = epochOfAll(peers)
  const swarm = new AgreementSwarm(peers, { ...defaultRules, isEqual: random.integer(2) === 0 })
  swarm.roundsStand = true
  const lives = new Map(peers.map((name) => [name, 1]))
  for (const name of peers) swarm.start(name, 1, random.integer(9), first)
  const loss = 0.4 * random.uniform()
  swarm.isLost = () => random.uniform() < loss
  // Majorities live on: only so many die at once.
  const mayDie = () => 2 * (swarm.living.length - 1) > peers.length
  for (let step = 0; step < 40; step++) {
    swarm.pass(100 * (1 + random.integer(10)))
    const name = peers[random.integer(peers.length)]
    const other = peers[random.integer(peers.length)]
    const process = swarm.processes.get(name)
    switch (random.integer(6)) {
      case 0:
        if (process !== undefined && mayDie() && !isAlone(swarm)) swarm.crash(name)
        break
      case 1: {
        if (process !== undefined) break
        const life = (lives.get(name) ?? 1) + 1
        lives.set(name, life)
        swarm.start(name, life, 0)
        break
      }
      case 2:
        if (process !== undefined && name !== other) process.gone.set(other, lives.get(other) ?? 1)
        break
      case 3:
        if (process?.isRunning === true) process.fail(swarm.now)
        break
      case 4:
        if (process !== undefined) process.isBusy = !process.isBusy
        break
      default:
        if (process !== undefined) for (const each of peers) process.gone.delete(each)
    }
  }
  swarm.isLost = () => false
  for (const process of swarm.living) {
    process.isBusy = false
    process.gone.clear()
    for (const name of peers) {
      const life = lives.get(name) ?? 1
      const past = swarm.processes.has(name) ? life - 1 : life
      if (past > 0) process.gone.set(name, past)
    }
  }
  // The last epoch may have lost its quorum; then nobody may go on.
  swarm.pass(90_000)
  const newest = Math.max(...swarm.living.map(({ agreement }) => agreement.epoch.number))
  const epoch = swarm.living.find(({ agreement }) => agreement.epoch.number === newest)?.agreement.epoch ?? first
  const isLeft = ({ name, life }: (typeof epoch.members)[number]) => swarm.processes.get(name)?.life === life
  const left = new Set(epoch.members.filter(isLeft).map(({ name }) => name))
  if (!isQuorum(epoch, left)) return undefined
  const apart = swarm.living.filter(
    ({ agreement, isRunning, name, life }) =>
      !isRunning || !isMember(agreement.epoch, name, life) || agreement.epoch.number !== newest
  )
  return apart.length === 0
    ? undefined
    : `seed ${seed}: ${apart.map(({ name }) => name).join()} of ${peers.join()} wait`
}

const isAlone = (swarm: AgreementSwarm) => swarm.living.length <= 2

test.serial('when notes are lost no more, all that live train in one epoch, if its last members are a quorum', (t) => {
  const problems = Array.from({ length: 40 }, (_, seed) => trial(seed)).filter((problem) => problem !== undefined)
  t.deepEqual(problems, [])
})
