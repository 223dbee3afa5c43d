import { Simulation } from './simulation.js'
import type { PeerProgram, SimulationOptions, SimulationResult } from './simulation-options.js'

/**
 * Runs `program` on every peer of the topology in virtual time, until all have ended. The same options give the same
 * result. Rejects with the first error of a program, or with a DeadlockError when all wait forever.
 */
export async function simulate<Message>(
  options: SimulationOptions<Message>,
  program: PeerProgram<Message>
): Promise<SimulationResult> {
  const simulation = new Simulation(options, program)
  await simulation.run()
  const { messages, bytes, rejected } = simulation.traffic
  return { elapsed: simulation.now(), messages, bytes, rejected }
}
