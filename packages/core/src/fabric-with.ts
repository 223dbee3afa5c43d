import type { Fabric } from './fabric.js'

/**
 * `fabric` with some of its members replaced. Spawned activities get the original fabric, unless `spawn` is replaced
 * too.
 */
export function fabricWith<Message>(fabric: Fabric<Message>, changes: Partial<Fabric<Message>>): Fabric<Message> {
  return {
    self: fabric.self,
    random: fabric.random,
    get signal() {
      return fabric.signal
    },
    get isStopping() {
      return fabric.isStopping
    },
    stop: (reason) => fabric.stop(reason),
    now: () => fabric.now(),
    neighbours: (round) => fabric.neighbours(round),
    send: (to, message) => fabric.send(to, message),
    tell: (to, note) => fabric.tell(to, note),
    listen: (listener) => fabric.listen(listener),
    receive: (until, receiver, waitsFor) => fabric.receive(until, receiver, waitsFor),
    wake: (waitsFor) => fabric.wake(waitsFor),
    recycle: (message) => fabric.recycle(message),
    reject: (envelope, reason) => fabric.reject(envelope, reason),
    allocate: (length) => fabric.allocate(length),
    free: (vector) => fabric.free(vector),
    sleep: (until) => fabric.sleep(until),
    work: (work) => fabric.work(work),
    spawn: (activity) => fabric.spawn(activity),
    ...changes
  }
}
