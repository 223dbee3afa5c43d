import { MeteredStore, type StoreFigures } from '@murmuration/algorithms'
import { type Fabric, MemoryStore, type PeerName, type Store } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { openStore } from '#platform'
import type { RunEvent, StoreEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'
import { storeProgram } from '../../training/store-choice.js'

interface Service {
  readonly plan: RunPlan
  readonly self: PeerName
  readonly emit: (event: RunEvent) => void
}

/**
 * Calls `act` with the store of a service, then closes the store and emits its figures. Peers without a store get
 * undefined.
 */
export async function withStore<Result>(
  { plan, self, emit }: Service,
  { now }: Pick<Fabric<unknown>, 'now'>,
  act: (store: Store | undefined) => Promise<Result>
): Promise<Result> {
  const { servers = [], algorithm } = plan.options
  if (algorithm.needs.store === undefined || !servers.includes(self)) return act(undefined)
  const note = (text: string) => emit({ kind: 'note', text: `${self}: ${text}` })
  const { store, close } = await open(plan, note)
  const metered = new MeteredStore(store, now, (updates) =>
    note(`the store returned to an older version and lost ${updates} ${updates === 1 ? 'update' : 'updates'}`)
  )
  const start = now()
  try {
    return await act(metered)
  } finally {
    emit(storeEvent(self, metered.figures, (now() - start) / 1000))
    await close()
  }
}

async function open({ training, options, settings, runId }: RunPlan, onWait: (text: string) => void) {
  const { store: url = 'memory' } = training
  if (storeProgram(url) === 'memory') return { store: new MemoryStore(), close: () => Promise.resolve() }
  const run = runId ?? hashText(JSON.stringify(settings)).slice(0, 16)
  const store = await openStore({ url, run, timeout: options.timeout, onWait })
  return { store, close: () => store.close() }
}

function storeEvent(peer: PeerName, figures: StoreFigures, seconds: number): StoreEvent {
  const { gets, sets, adds, getTime, setTime, addTime, bytes, overwritten, rolledBack } = figures
  const mean = (time: number, count: number) => (count === 0 ? 0 : time / count)
  return {
    kind: 'store',
    peer,
    gets,
    sets,
    adds,
    seconds,
    bytes,
    overwritten,
    rolledBack,
    millisecondsPerGet: mean(getTime, gets),
    millisecondsPerSet: mean(setTime, sets),
    millisecondsPerAdd: mean(addTime, adds)
  }
}
