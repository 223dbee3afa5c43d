// One round of a record among peers of which some have failed: the record's own function, on numbers, with a node that
// only carries messages.

/** The states after the round. Those of peers that have failed stay. */
export async function averaged({ record, rows }, { peers, alive, round, states, values }) {
  const before = states ?? values.map((x) => record.start({ x, zero: 0 }, {}))
  const isAlive = new Set(alive)
  const rowOf = rows(round, alive)
  const post = mail(alive.length)
  const options = record.options.parse({})
  return Promise.all(
    peers.map((peer, i) => {
      if (!isAlive.has(peer)) return before[i]
      const route = routeOf(peer, round, rowOf(peer))
      const [channel] = Object.keys(record.channels)
      const node = {
        options,
        mixing: () => route,
        peers: () => peers,
        gradient: () => Promise.resolve(0),
        step: (x) => x,
        [channel]: {
          send: (_, message) =>
            post.send(
              peer,
              message,
              route.to.filter((to) => !isAlive.has(to))
            ),
          collect: () => post.collect(peer, route.from)
        }
      }
      return record.round(node, before[i], round)
    })
  )
}

/** Messages are given out once all have sent. */
function mail(count) {
  const sent = new Map()
  let open
  const allSent = new Promise((resolve) => (open = resolve))
  return {
    send(peer, message, unsent) {
      sent.set(peer, message)
      if (sent.size === count) open()
      return unsent
    },
    async collect(peer, from) {
      await allSent
      const messages = {}
      for (const other of from) {
        const message = sent.get(other)
        if (message !== undefined) messages[other] = typeof message === 'function' ? message(peer) : message
      }
      return messages
    }
  }
}

/** A row of a topology, as a record's round sees it. */
function routeOf(peer, round, { selfWeight, receiveFrom, sendTo }) {
  const weightIn = (list) => new Map(list.map(({ name, weight }) => [name, weight]))
  const row = weightIn(receiveFrom)
  const column = weightIn(sendTo)
  const to = [...column.keys()]
  const from = [...row.keys()]
  return { peer, round, to, from, own: selfWeight, row: (j) => row.get(j), column: (j) => column.get(j) }
}
