/** Ways to drive a session to its end. */
import type { Saved, Session } from '@murmuration/algorithms'
import type { Fabric, PeerName, StepReport } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

export type Drive = (
  fabric: Fabric<VectorMessage>,
  open: (saved?: Saved) => Session
) => AsyncGenerator<[Session, StepReport]>

export async function* straight(_: Fabric<VectorMessage>, open: (saved?: Saved) => Session): ReturnType<Drive> {
  const session = open()
  for await (const report of session.steps()) yield [session, report]
}

/** Stops before round 7, and continues as the same session or as one made from its bytes. */
export function pausing(actionOf: (self: PeerName) => 'keep' | 'replace'): Drive {
  return async function* ({ self }, open) {
    const first = open()
    for await (const report of first.steps(7)) yield [first, report]
    const second = actionOf(self) === 'keep' ? first : open(first.save())
    for await (const report of second.steps()) yield [second, report]
  }
}

/** Saves a copy before round `at`, and continues as the same session. */
export function checkpointing(round: number, checkpoints: Map<PeerName, Saved>): Drive {
  return async function* ({ self }, open) {
    const session = open()
    for await (const report of session.steps(round)) yield [session, report]
    checkpoints.set(self, copyOf(session.checkpoint()))
    for await (const report of session.steps()) yield [session, report]
  }
}

/** The vectors of the copy stay valid after the next step; `structuredClone` does not copy shared memory. */
function copyOf({ tree, vectors }: Saved): Saved {
  return { tree, vectors: new Map([...vectors].map(([name, numbers]) => [name, numbers.slice()])) }
}

/** Continues from saved sessions. */
export function resuming(checkpoints: ReadonlyMap<PeerName, Saved>): Drive {
  return async function* ({ self }, open) {
    const session = open(checkpoints.get(self))
    for await (const report of session.steps()) yield [session, report]
  }
}
