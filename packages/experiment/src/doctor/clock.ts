/** The difference between this machine's clock and a time server's: SNTP, RFC 4330. */
import { createSocket } from 'node:dgram'
import { messageOf, type Milliseconds } from '@murmuration/core'
import type { DoctorFinding } from './finding.js'

/** Seconds from 1900, the epoch of SNTP, to 1970. */
const epoch = 2_208_988_800
/** Certificates and tokens are refused when clocks are minutes apart. */
const maxOffset: Milliseconds = 60_000

export interface TimeServer {
  readonly host: string
  readonly port: number
}

/** Asks a time server. No run depends on the clock, but downloads and logs do. */
export async function clockFinding(server: TimeServer, timeout: Milliseconds = 3000): Promise<DoctorFinding> {
  const check = 'clock'
  try {
    const offset = await offsetBy(server, timeout)
    const seconds = Math.abs(offset / 1000)
    const found = `the clock is ${seconds.toFixed(1)} s ${offset > 0 ? 'slow' : 'fast'}, by the time of ${server.host}`
    if (Math.abs(offset) < maxOffset) return { check, level: 'ok', found }
    const fix = 'set the clock: "timedatectl set-ntp true", or in the settings of the system'
    return { check, level: 'wrong', found, fix }
  } catch (error) {
    return { check, level: 'unknown', found: `cannot compare the clock with a time server: ${messageOf(error)}` }
  }
}

function offsetBy({ host, port }: TimeServer, timeout: Milliseconds): Promise<Milliseconds> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    const settle = (act: () => void) => {
      clearTimeout(timer)
      socket.close()
      act()
    }
    const timer = setTimeout(() => settle(() => reject(new Error(`${host} does not answer`))), timeout)
    const sent = Date.now()
    socket.on('error', (error) => settle(() => reject(error)))
    socket.on('message', (answer) => {
      const localTime = (sent + Date.now()) / 2
      const serverTime =
        answer.length < 48 ? 0 : 1000 * (answer.readUInt32BE(40) - epoch + answer.readUInt32BE(44) / 2 ** 32)
      settle(() =>
        serverTime > 0 ? resolve(serverTime - localTime) : reject(new Error(`${host} sent an invalid answer`))
      )
    })
    // Version 4, from a client.
    const question = Buffer.alloc(48)
    question[0] = 0x23
    socket.send(question, port, host, (error) => error && settle(() => reject(error)))
  })
}
