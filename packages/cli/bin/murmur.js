#!/usr/bin/env node
// Nothing here may be newer than the oldest Node that somebody may start it with.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
  import('../dist/main.js')
} else {
  console.error(
    `murmur: this is Node ${process.versions.node}; 20.19 or later, 22.12 or later, or 24 or later is needed; see nodejs.org`
  )
  process.exitCode = 2
}
