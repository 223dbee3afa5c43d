import { InputError, type PeerName, type Schema, StoppedError } from '@murmuration/core'
import {
  admissionOf,
  factsOfRun,
  failureKindOf,
  learned,
  modelFile,
  type ModelFacts,
  type RunPlan,
  trainAsPeer
} from '@murmuration/experiment/peer'
import { admissionOf as useOf, type Identity, type Invitation, type PeerListEntry } from '@murmuration/libp2p'
import { setTaskProgram } from '@murmuration/tasks/peer'
import { cardOf } from './card.js'
import { planWith } from './given-data.js'
import { predictIn } from './predict.js'
import { taskProgram } from './programs.js'
import { TabProgress } from './progress.js'
import type { DroppedFile, Prediction, Run, RunCard, RunEvent, Summary, TabDevice } from './run.js'
import { isLeaving, sentenceOf } from './sentences.js'

/** How long the first links may take, in milliseconds. */
const wait = 120_000

/** What is known of a run once a peer has shown it. */
export interface ShownRun {
  readonly invitation: Invitation
  readonly identity: Identity
  readonly plan: RunPlan
  /** As the peer sent them. */
  readonly files: string
}

/** A model that can be saved. */
interface LearnedModel {
  readonly schema: Schema
  readonly parameters: Float32Array
  readonly facts: ModelFacts
}

/** A run in this tab. */
export class TabRun implements Run {
  readonly card: RunCard
  readonly device: TabDevice
  readonly #shown: ShownRun
  readonly #listeners = new Set<(event: RunEvent) => void>()
  readonly #stop = new AbortController()
  #ended: Promise<unknown> | undefined
  #model: LearnedModel | undefined

  constructor(shown: ShownRun) {
    this.#shown = shown
    this.card = cardOf(shown.invitation, shown.plan)
    this.device = { key: shown.identity.isExtractable ? 'seed' : 'webcrypto', backend: 'wasm' }
  }

  on(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async join(samples: readonly DroppedFile[] = []): Promise<Summary> {
    if (this.#ended !== undefined) throw new Error('This tab has joined the run already.')
    const training = this.#train(samples)
    this.#ended = training.catch(() => {})
    return training
  }

  async leave(): Promise<void> {
    this.#stop.abort(new StoppedError())
    await this.#ended
  }

  async predict(file: Blob, name: string): Promise<Prediction> {
    return predictIn({ model: await this.model(), file, name })
  }

  async model(): Promise<Blob> {
    if (this.#model === undefined) throw new Error('There is no model yet: the training has not begun.')
    const { schema, parameters, facts } = this.#model
    return new Blob([...modelFile(schema, parameters, facts)] as BlobPart[])
  }

  async #train(samples: readonly DroppedFile[]): Promise<Summary> {
    const progress = new TabProgress(this.#shown.plan.options.rounds, (event) => this.#emit(event))
    const leave = () => this.#stop.abort(new StoppedError())
    const text = 'This device is off the network; the run goes on without it, and it returns by itself.'
    const offline = () => this.#emit({ kind: 'note', text })
    globalThis.addEventListener?.('pagehide', leave)
    globalThis.addEventListener?.('offline', offline)
    try {
      setTaskProgram(taskProgram)
      progress.phase('loading', 'The model and the data are loaded.')
      const { plan, files } = this.#shown
      const summary = await this.#trainAsPeer(onWasm(await planWith(plan, files, samples)), progress)
      progress.phase('finished', 'The training is over.')
      return summary
    } catch (error) {
      const sentence = sentenceOf(error)
      // Wrong data may be given anew.
      if (failureKindOf(error) === 'input') this.#ended = undefined
      progress.phase(isLeaving(error) ? 'left' : 'ended', sentence)
      throw new Error(sentence, { cause: error })
    } finally {
      progress.end()
      globalThis.removeEventListener?.('pagehide', leave)
      globalThis.removeEventListener?.('offline', offline)
    }
  }

  async #trainAsPeer(plan: RunPlan, progress: TabProgress): Promise<Summary> {
    const { invitation, identity, files } = this.#shown
    const { name: self, seeds } = invitation
    const emit = progress.take
    const entered = { own: await useOf(invitation, identity), certificates: [] }
    const run = { plan, files: async () => files, folderOf: (runKey: string) => `runs/${runKey}` }
    const keep = (model: LearnedModel) => (this.#model = { ...model, parameters: model.parameters.slice() })
    return trainAsPeer(plan, {
      self,
      identity,
      listen: [],
      peerList: peerListOf(plan, self, identity.id),
      discovery: { seeds, lan: false },
      // Other tabs find this one there, and then connect to it directly.
      relay: { via: seeds },
      admission: await admissionOf(run, self, emit, entered),
      wait,
      emit,
      signal: this.#stop.signal,
      onWatching: (watching) => progress.watch(() => watching.others),
      onSnapshot: (parameters, task, round) => {
        const { schema, samples } = task
        keep({ schema, parameters, facts: { ...factsOfRun(plan, { samples, ...learned(task) }), rounds: round + 1 } })
      },
      keep: async (schema, parameters, facts) => void keep({ schema, parameters, facts })
    })
  }

  #emit(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** WebAssembly gives the bits of a Node peer; a page has nothing else. */
function onWasm(plan: RunPlan): RunPlan {
  return { ...plan, training: { ...plan.training, backend: 'wasm' } }
}

/** The peers of the run that the file lists, with their ids, and this one. */
function peerListOf({ path, file }: RunPlan, self: PeerName, id: string): readonly PeerListEntry[] {
  const listed = [...file.peers, ...file.servers].filter(({ name, invited }) => name === self || invited !== true)
  return listed.map((peer) => {
    if (peer.name === self) return { name: self, id, addresses: [] }
    if (peer.id === undefined)
      throw new InputError(`${path} has no id of ${peer.name}: a tab cannot know that it is the right one`)
    return { name: peer.name, id: peer.id, addresses: peer.addresses }
  })
}
