/** Loaded into a peer's process by record.mjs: writes down whenever its failure detector hears something of a contact. */
import { appendFileSync } from 'node:fs'
import { setInterval } from 'node:timers'
import { Suspicion } from '../../../membership/dist/suspicion.js'

const { GAPS_FILE: file } = process.env
/** Signs that follow each other more closely tell a detector nothing. */
const shortest = 50
const { heard } = Suspicion.prototype
const last = new Map()
let lines = []

Suspicion.prototype.heard = function (peer, at) {
  const now = performance.now()
  if (now - (last.get(peer) ?? 0) >= shortest) {
    last.set(peer, now)
    lines.push(`${peer} ${Math.round(now)} ${Math.round(at)}\n`)
  }
  return heard.call(this, peer, at)
}

const write = () => {
  if (file !== undefined && lines.length > 0) appendFileSync(file, lines.join(''))
  lines = []
}
setInterval(write, 10_000).unref()
process.on('exit', write)
