import { InputError } from '@murmuration/core'
import { KernelMemory } from './memory.js'
import { maxOperands, type Operand, Workspace, workspaceLength } from './workspace.js'

/** The workspaces of shared memories; `undefined` where there was no room for one. */
const workspaces = new WeakMap<KernelMemory, Workspace | undefined>()
let threadWorkspace: { readonly workspace: Workspace | undefined } | undefined

/**
 * The workspace in the memory of the first operand that lies in a shared {@link KernelMemory}; operands in that memory
 * need no copy. If none does, the thread's own workspace. `undefined` where there is no memory for a workspace, or
 * where there are too many operands for one.
 */
export function workspaceFor(operands: readonly Operand[]): Workspace | undefined {
  if (operands.length > maxOperands) return undefined
  for (const { vector } of operands) {
    const memory = KernelMemory.of(vector)
    const workspace = memory && workspaceIn(memory)
    if (workspace !== undefined) return workspace
  }
  return (threadWorkspace ??= { workspace: ownWorkspace() }).workspace
}

function workspaceIn(memory: KernelMemory): Workspace | undefined {
  const cached = workspaces.get(memory)
  if (cached !== undefined || workspaces.has(memory)) return cached
  const area = memory.vector(workspaceLength)
  const workspace = area && new Workspace(memory, area)
  workspaces.set(memory, workspace)
  return workspace
}

/** In memory that is not shared, where copying is faster. */
function ownWorkspace(): Workspace | undefined {
  try {
    const memory = KernelMemory.fixed([4 * workspaceLength])
    return new Workspace(memory, memory.float32(workspaceLength))
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}
