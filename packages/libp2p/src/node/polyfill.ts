// libp2p 3 calls Promise.withResolvers, which Node 20 lacks. Without it every dial fails with a bare ECONNRESET.
if (typeof Promise.withResolvers !== 'function') {
  Promise.withResolvers = function withResolvers<T>(): PromiseWithResolvers<T> {
    let resolve: PromiseWithResolvers<T>['resolve'] = () => {}
    let reject: PromiseWithResolvers<T>['reject'] = () => {}
    const promise = new Promise<T>((fulfil, fail) => {
      resolve = fulfil
      reject = fail
    })
    return { promise, resolve, reject }
  }
}

export {}
