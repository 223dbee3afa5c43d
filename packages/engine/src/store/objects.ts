import { type Fabric, invariant, type Store } from '@murmuration/core'
import type { Arena, Vector } from '../vectors/vector.js'

/** The objects of a store as vectors, as a service uses them. */
export interface Objects {
  /** The numbers of an object, as many as `initial` has. A missing object is created with `initial`. */
  get(key: string, initial: Vector): Promise<Vector>
  /** The numbers of an object; undefined if it does not exist. */
  find(key: string, length: number): Promise<Vector | undefined>
  /** Overwrites an object, whatever others have written since it was read. */
  set(key: string, x: Vector): Promise<void>
  /** Lets the store add to an object, atomically. A missing object is first created with `initial`. */
  add(key: string, x: Vector, initial: Vector): Promise<void>
  remove(keys: readonly string[]): Promise<void>
}

type Memory = Pick<Fabric<unknown>, 'allocate' | 'free'>

/** The store of a run. Without one it must not be used: the record's needs were checked before. */
export function objectsOf(store: Store | undefined, memory: Memory, arena: Arena): Objects {
  const requireStore = () => {
    invariant(store !== undefined, 'a record uses a store without "needs: { store: true }"')
    return store
  }
  const create = async (key: string, initial: Vector) => {
    await requireStore().create(key, initial.values)
  }
  const find = async (key: string, length: number) => {
    const numbers = memory.allocate(length)
    if ((await requireStore().get(key, numbers)) !== undefined) return arena.adopt(numbers)
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
      await requireStore().set(key, x.values)
    },
    async add(key, x, initial) {
      if ((await requireStore().add(key, x.values)) !== undefined) return
      await create(key, initial)
      await requireStore().add(key, x.values)
    },
    async remove(keys) {
      await requireStore().remove(keys)
    }
  }
}
