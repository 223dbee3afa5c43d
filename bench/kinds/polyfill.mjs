/** libp2p 3 calls Promise.withResolvers, which Node.js 20 lacks. */
Promise.withResolvers ??= function withResolvers() {
  const settle = {}
  const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }))
  return { promise, ...settle }
}
