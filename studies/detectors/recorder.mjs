/**
 * Loaded into a peer's process by record.mjs: records each time that its failure detector receives a sign of a contact.
 */
import { appendFileSync } from 'node:fs'
import { setInterval } from 'node:timers'
import { Suspicion } from '@murmuration/membership'

const { GAPS_FILE: file } = process.env
/** Signs at shorter intervals have no effect on a detector. */
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
