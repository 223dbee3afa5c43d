import { type Fabric, fabricWith } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { EventLogWriter } from './event-log.js'

/** Shorter waits, in milliseconds, are left out: receiving a message that is in the mailbox already is not a wait. */
const shortestWait = 0.5

/** The same fabric, which logs computing, waiting, sending and taking. */
export function loggedFabric(fabric: Fabric<VectorMessage>, log: EventLogWriter): Fabric<VectorMessage> {
  const logged = fabricWith(fabric, {
    send: (to, message) => {
      const result = fabric.send(to, message)
      if (result === 'queued') log.sent(to, idOf(message), message.vector.byteLength)
      return result
    },
    receive: async (until) => {
      const start = fabric.now()
      const envelope = await fabric.receive(until)
      if (fabric.now() - start >= shortestWait) log.span('waiting', start)
      if (envelope !== undefined) log.taken(envelope.from, idOf(envelope.message))
      return envelope
    },
    work: (work) => {
      const start = fabric.now()
      const result = fabric.work(work)
      const done = () => log.span(work.kind, start)
      result.then(done, done)
      return result
    },
    spawn: (activity) => fabric.spawn(() => activity(logged))
  })
  return logged
}

/** The same at both ends; vectors with the same id on a link stay in order. The rounds of each epoch count anew. */
function idOf({ kind, round, part = 0, epoch = 0, field = 0 }: VectorMessage): string {
  const id = `${kind}.${round}.${part}.${field}`
  return epoch === 0 ? id : `${id}.${epoch}`
}
