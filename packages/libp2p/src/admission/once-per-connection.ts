import type { Connection } from '@libp2p/interface'

/**
 * The same, but once on each connection: to a peer that does not know this one yet, there may be only one question on a
 * connection. After a failure the next call tries again.
 */
export function oncePerConnection(
  ask: (connection: Connection) => Promise<void>
): (connection: Connection) => Promise<void> {
  const asked = new WeakMap<Connection, Promise<void>>()
  return (connection) => {
    const existing = asked.get(connection)
    if (existing !== undefined) return existing
    const asking = ask(connection)
    asked.set(connection, asking)
    asking.catch(() => asked.delete(connection))
    return asking
  }
}
