#!/usr/bin/env node
// Nothing here may be newer than the oldest Node that somebody may start it with.
import module from 'node:module'
import { dirname } from 'node:path'

// The first process of a container has no default action for signals: without a listener, one that arrives while the
// command loads is lost. `stopOnSignal` replaces this listener.
if (process.pid === 1) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
  cacheCompiledCode()
  import('../dist/main.js').then(() => import('../dist/ending.js')).then(({ exitNow }) => exitNow())
} else {
  console.error(
    `murmur: this is Node ${process.versions.node}; 20.19 or later, 22.12 or later, or 24 or later is needed; see nodejs.org`
  )
  process.exitCode = 2
}

// Where Node can (22 and later); for the processes and threads that the command starts too.
function cacheCompiledCode() {
  if (module.enableCompileCache === undefined) return
  const { directory } = module.enableCompileCache()
  // Node adds the last part, its version, to the folder that it is given.
  if (directory !== undefined && process.env.NODE_COMPILE_CACHE === undefined)
    process.env.NODE_COMPILE_CACHE = dirname(directory)
}
