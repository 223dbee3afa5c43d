import { InputError, type Links } from '@murmuration/core'
import { shapingProblem } from '@murmuration/libp2p'
import type { RunPlan } from '../../training/plan.js'

/**
 * The links that shape the connections of a run, if there are such. Throws an InputError when they cannot be shaped.
 *
 * @param path - the file that they come from, if it is not the plan's
 */
export function shapedLinks({ links, path: own, file }: RunPlan, path = own): Links | undefined {
  const problem =
    links &&
    shapingProblem(
      links,
      [...file.peers, ...file.servers].map(({ name }) => name)
    )
  if (problem !== undefined) throw new InputError(`${path}: ${problem}`)
  return links
}
