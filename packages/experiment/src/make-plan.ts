import { InputError } from '@murmuration/core'
import { readLinksFile, readTopologyFile, type TopologyFile } from '@murmuration/files'
import { checkServices, type RunPlan, planOf, type RunRequest } from './training/plan.js'
import { readTrainingFile } from './training/read-training-file.js'

/** As {@link makePlan}, for real peers. Also throws an InputError for services without a store that they can share. */
export async function makeRealPlan(request: RunRequest): Promise<RunPlan> {
  const plan = await makePlan(request)
  checkServices(plan)
  return plan
}

/** Reads and checks the files of a run. Throws an InputError when something is wrong with them. */
export async function makePlan(request: RunRequest): Promise<RunPlan> {
  const { topology: path, runId, init } = request
  if (request.method === undefined) {
    const file = await onLinks(await readTopologyFile(path), request)
    const peers = file.peers.length
    const plan = planOf(path, file, await readTrainingFile(request.train, { ...request, peers }))
    return withStart({ ...plan, ...(request.links === undefined ? {} : { links: file.links }), runId, init })
  }
  // Scenarios import the simulator, which few peers need.
  const { readMethod } = await import('./sim/scenario/real-method.js')
  const { file: own, training, remark } = await readMethod(request, request.method)
  const file = await onLinks(own, request)
  return withStart({ ...planOf(path, file, training), remark, links: file.links, label: request.method, runId, init })
}

/** Throws an InputError where the algorithm cannot begin with the model that the user has chosen. */
function withStart(plan: RunPlan): RunPlan {
  const { needs, title } = plan.options.algorithm
  if (plan.init === undefined || (needs.dual ?? needs.kernel) !== true) return plan
  const known = needs.dual === true ? 'its dual variables are known' : 'f of all samples is known'
  throw new InputError(`--init ${plan.init}: ${title} begins at 0, where ${known}; omit --init`)
}

/** With the links of the request's own file, if there is one: what options follow from, and what is shaped, is one. */
async function onLinks(file: TopologyFile, { links: path }: RunRequest): Promise<TopologyFile> {
  if (path === undefined) return file
  const names = [...file.peers, ...file.servers].map(({ name }) => name)
  return { ...file, links: await readLinksFile(path, names) }
}
