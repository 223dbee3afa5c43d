/** What both ends of the bench of tabs do, in the page and in Node: see tabs.mjs. */

export const peerOf = async (self, listen, megabytes, { createPeer, createTopology, identity }) => {
  const peer = await createPeer({
    self,
    identity,
    seed: 1,
    listen,
    topology: createTopology({ peers: ['n', 'p'], graph: { kind: 'ring' } }),
    runSettings: { settings: {}, schema: [{ name: 'x', shape: [megabytes * 250_000] }], start: '' }
  })
  const receiving = async () => {
    for (;;) {
      const envelope = await peer.fabric.receive().catch(() => undefined)
      if (envelope === undefined) return
      peer.fabric.recycle(envelope.message)
    }
  }
  void receiving()
  return peer
}
/** Sends so many vectors, and waits until they are acknowledged. Returns the time and the longest round trip. */
export const send = async (peer, to, megabytes, count) => {
  const vector = Float32Array.from({ length: megabytes * 250_000 }, (_, index) => Math.fround(index / 7))
  const began = performance.now()
  let longest = 0
  const pinging = setInterval(async () => {
    longest = Math.max(longest, (await peer.roundTrip(to)) ?? 10_000)
  }, 250)
  for (let sent = 0; sent < count;) {
    if (peer.neighbours()[0].queue < 2 && peer.fabric.send(to, { kind: 0, round: sent, vector }) === 'queued') sent++
    else await peer.fabric.sleep(peer.fabric.now() + 2)
  }
  while (peer.neighbours()[0].queue > 0) await peer.fabric.sleep(peer.fabric.now() + 2)
  clearInterval(pinging)
  return { took: performance.now() - began, longest }
}
export const bare = { expected: 0 }
export const wire = (channel) => {
  bare.channel = channel
  channel.binaryType = 'arraybuffer'
  channel.bufferedAmountLowThreshold = 1 << 19
  bare.open = new Promise((resolve) => (channel.readyState === 'open' ? resolve() : (channel.onopen = () => resolve())))
  channel.onmessage = ({ data }) => {
    if (data === 'done') return bare.done?.()
    if (typeof data === 'string') return void (bare.expected = Number(data))
    bare.expected -= data.byteLength
    if (bare.expected <= 0) channel.send('done')
  }
}
export const gathered = (pc) =>
  new Promise((resolve) => {
    if (pc.iceGatheringState === 'complete') resolve()
    pc.onicegatheringstatechange = () => pc.iceGatheringState === 'complete' && resolve()
    setTimeout(resolve, 1500)
  })
export const sendBare = async (bytes, chunk) => {
  const { channel } = bare
  const data = new Uint8Array(chunk)
  const began = performance.now()
  const done = new Promise((resolve) => (bare.done = resolve))
  channel.send(String(bytes))
  for (let sent = 0; sent < bytes; sent += chunk) {
    if (channel.bufferedAmount > 1 << 20)
      await new Promise((resolve) => {
        channel.onbufferedamountlow = () => resolve()
        setTimeout(resolve, 100)
      })
    channel.send(data)
  }
  await done
  return performance.now() - began
}
