/** The processes that a swarm has started. */
import { type RunningCommand, recordsOf } from './command.js'

/** The processes of the peers that a swarm has reported. */
export function peerProcesses(swarm: RunningCommand): number[] {
  return recordsOf({ stdout: swarm.output() })
    .filter(({ kind }) => kind === 'peer')
    .map(({ pid }) => Number(pid))
}

/** Whether there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
