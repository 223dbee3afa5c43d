import { Desk, deskLength, mostOperands, type Operand } from './desk.js'
import { VectorMemory } from './vector-memory.js'

const page = 65_536

/** The desks of memories; `undefined` where there was no room for one. */
const desks = new WeakMap<VectorMemory, Desk | undefined>()
let own: { readonly desk: Desk | undefined } | undefined

/**
 * The desk in the memory of the first operand that lies in a {@link VectorMemory}, where this one and others of that memory
 * need no copy; when none does, a desk of the thread's own. `undefined` where there is no memory for a desk, or where there
 * are too many operands for one.
 */
export function deskFor(operands: readonly Operand[]): Desk | undefined {
  if (operands.length > mostOperands) return undefined
  for (const { vector } of operands) {
    const memory = VectorMemory.of(vector)
    const desk = memory && deskIn(memory)
    if (desk !== undefined) return desk
  }
  return (own ??= { desk: ownDesk() }).desk
}

function deskIn(memory: VectorMemory): Desk | undefined {
  const known = desks.get(memory)
  if (known !== undefined || desks.has(memory)) return known
  const area = memory.take(deskLength)
  const desk = area && new Desk(memory.memory, area, memory)
  desks.set(memory, desk)
  return desk
}

/** In memory that is not shared, into which copying is faster. */
function ownDesk(): Desk | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((4 * deskLength) / page) })
    return new Desk(memory, new Float32Array(memory.buffer, 0, deskLength))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
