import { type Fabric, invariant, type Store } from '@murmuration/core'
import type { Arena, Vector } from './vector.js'

/** The objects of a store as vectors, as a service sees them. */
export interface Objects {
  /** The numbers of an object, as long as `initial`. Where there is no such object, one of the numbers of `initial` is created. */
  get(key: string, initial: Vector): Promise<Vector>
  /** The numbers of an object; nothing where there is no such object. */
  find(key: string, length: number): Promise<Vector | undefined>
  /** Puts numbers in an object's place, whatever others have put there since it was read. */
  set(key: string, x: Vector): Promise<void>
  /** Has the store add to an object, at once for all. Where there is no such object, one of the numbers of `initial` is created first. */
  add(key: string, x: Vector, initial: Vector): Promise<void>
  remove(keys: readonly string[]): Promise<void>
}

type Memory = Pick<Fabric<unknown>, 'allocate' | 'free'>

/** The store of a run. Where there is none, nothing may be asked of it: what a record needs was tested before. */
export function objectsOf(store: Store | undefined, memory: Memory, arena: Arena): Objects {
  const known = () => {
    invariant(store !== undefined, 'a record uses a store and does not say that it needs one')
    return store
  }
  const create = async (key: string, initial: Vector) => {
    await known().create(key, initial.values)
  }
  const find = async (key: string, length: number) => {
    const numbers = memory.allocate(length)
    if ((await known().get(key, numbers)) !== undefined) return arena.adopt(numbers)
    memory.free(numbers)
    return undefined
  }
  return {
    async get(key, initial) {
      const found = await find(key, initial.length)
      if (found !== undefined) return found
      await create(key, initial)
      return (await find(key, initial.length)) ?? initial
    },
    find,
    async set(key, x) {
      await known().set(key, x.values)
    },
    async add(key, x, initial) {
      if ((await known().add(key, x.values)) !== undefined) return
      await create(key, initial)
      await known().add(key, x.values)
    },
    async remove(keys) {
      await known().remove(keys)
    }
  }
}
