import { type Fabric, fabricWith } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { EventLog } from './event-log.js'

/** Shorter waits than this, in milliseconds, are left out: a mailbox that has a message is no wait. */
const shortestWait = 0.5

/** The same fabric, of which the log hears what it computes, waits for, sends and takes. */
export function loggedFabric(fabric: Fabric<VectorMessage>, log: EventLog): Fabric<VectorMessage> {
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

/** The same at both ends; several vectors of one id on one link are in order. */
function idOf({ kind, round, part = 0, field = 0 }: VectorMessage): string {
  return `${kind}.${round}.${part}.${field}`
}
