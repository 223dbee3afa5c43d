/** Runs that the tests of the page's looks let happen as they like. */
import type { Run, RunCard, RunEvent, Summary } from '@murmuration/browser'

export const card: RunCard = {
  run: 'digits',
  place: 'carol',
  expires: Date.UTC(2026, 10, 30, 12),
  task: 'which of ten digits a drawing shows',
  model: 'a perceptron with one hidden layer',
  parameters: 101_770,
  algorithm: 'D-PSGD',
  rounds: 400,
  peers: ['alice', 'bob', 'carol'],
  samples: { kind: 'none' },
  leaves: [
    'The parameters of the model, to your neighbours in every round: they reveal something of the data they were trained on.',
    'The loss and accuracy of your model, and how many samples it has seen.',
    'The network address of this device, to the peers of the run.'
  ]
}

/** A run that a test controls: `globalThis.fake` in the page. */
export class FakeRun implements Run {
  readonly card: RunCard
  readonly device = { key: 'webcrypto', backend: 'wasm' } as const
  samples: unknown
  end!: (error?: string) => void
  readonly #listeners = new Set<(event: RunEvent) => void>()

  constructor(changes: Partial<RunCard> = {}) {
    this.card = { ...card, ...changes }
  }

  join(samples?: unknown): Promise<Summary> {
    this.samples = samples
    return new Promise((resolve, reject) => {
      this.end = (error) => (error === undefined ? resolve({} as Summary) : reject(new Error(error)))
    })
  }

  leave(): Promise<void> {
    this.end()
    return Promise.resolve()
  }

  predict(_file: Blob, name: string) {
    if (name.endsWith('.txt')) return Promise.reject(new Error(`${name}: this model takes images of 28 × 28 pixels`))
    const classes = [
      { name: '7', probability: 0.91 },
      { name: '9', probability: 0.07 },
      { name: '1', probability: 0.02 }
    ]
    return Promise.resolve({ from: name, classes })
  }

  model(): Promise<Blob> {
    return Promise.resolve(new Blob(['model']))
  }

  on(listener: (event: RunEvent) => void) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** As a run does in the middle of its training. */
  train(rounds = 120): void {
    this.emit({ kind: 'phase', phase: 'training', text: 'training with alice and bob' })
    for (let round = 1; round <= rounds; round++) {
      const accuracy = round % 10 === 0 ? { accuracy: 0.93 - 0.8 * Math.exp(-round / 40) } : {}
      this.emit({ kind: 'step', round, rounds: 400, loss: 0.2 + 2.1 * Math.exp(-round / 40), ...accuracy })
    }
    this.emit({
      kind: 'peers',
      peers: [
        { name: 'alice', state: 'ready', link: 'WebRTC', sent: 48_800_000, received: 48_100_000 },
        { name: 'bob', state: 'silent', link: 'WebSocket', sent: 47_000_000, received: 46_000_000 },
        { name: 'carol', state: 'this tab', sent: 0, received: 0 }
      ]
    })
    this.emit({ kind: 'note', text: 'bob has been silent for 10 s; training goes on with alice' })
  }
}
