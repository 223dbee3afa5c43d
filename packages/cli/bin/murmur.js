#!/usr/bin/env node
// Nothing here may be newer than the oldest Node that somebody may start it with.

// The first process of a container has no default action for signals: without a listener, one that arrives while the command loads is lost.
// `stopOnSignal` replaces this listener.
if (process.pid === 1) for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
  import('../dist/main.js').then(() => import('../dist/ending.js')).then(({ exitNow }) => exitNow())
} else {
  console.error(
    `murmur: this is Node ${process.versions.node}; 20.19 or later, 22.12 or later, or 24 or later is needed; see nodejs.org`
  )
  process.exitCode = 2
}
