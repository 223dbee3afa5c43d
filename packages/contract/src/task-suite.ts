import type { Task } from '@murmuration/core'
import { allFinite, axpy, dot, hashVector, lengthOf } from '@murmuration/vectors'
import type { TestFn } from 'ava'

/** A task that must meet the promises of every task. */
export interface TaskCase {
  readonly name: string
  /** Builds the task anew, the same each time. `close` is called at the end. */
  create(): Promise<Task & { close?(): Promise<void> }>
}

/** What every task promises, as tests. */
export function testTask(test: TestFn, { name, create }: TaskCase): void {
  const withTask = async (body: (task: Task) => Promise<void>) => {
    const task = await create()
    try {
      await body(task)
    } finally {
      await task.close?.()
    }
  }
  const someBatch = (task: Task) => Uint32Array.from({ length: 8 }, (_, k) => (k * 7) % task.samples)

  test(`${name}: parameters start as the schema says, with the same bits for a seed`, async (t) => {
    await withTask(async (task) => {
      const start = await task.initialise(3).run()
      t.is(start.length, lengthOf(task.schema))
      t.true(allFinite(start))
      t.true(task.samples >= 1)
      await withTask(async (twin) => {
        t.deepEqual(twin.schema, task.schema)
        t.is(hashVector(await twin.initialise(3).run()), hashVector(start))
      })
    })
  })

  test(`${name}: the same batch gives the same gradient, bit by bit, and changes neither parameters nor batch`, async (t) => {
    await withTask(async (task) => {
      const x = await task.initialise(3).run()
      const before = hashVector(x)
      const batch = someBatch(task)
      const first = await task.gradient(x, batch).run()
      const loss = first.loss
      const hash = hashVector(first.vector)
      t.is(first.vector.length, x.length)
      t.true(Number.isFinite(loss) && allFinite(first.vector))
      const second = await task.gradient(x, batch).run()
      t.deepEqual([second.loss, hashVector(second.vector)], [loss, hash])
      t.is(hashVector(x), before)
      t.deepEqual(batch, someBatch(task))
    })
  })

  test(`${name}: the gradient is the slope of the loss`, async (t) => {
    await withTask(async (task) => {
      const x = await task.initialise(3).run()
      const batch = someBatch(task)
      const gradient = (await task.gradient(x, batch).run()).vector.slice()
      const square = dot(gradient, gradient)
      const step = 1e-2 / Math.sqrt(square)
      const lossAt = async (factor: number) =>
        (await task.gradient(axpy(x.slice(), factor * step, gradient), batch).run()).loss
      const measured = ((await lossAt(1)) - (await lossAt(-1))) / (2 * step)
      t.true(Math.abs(measured - square) < 0.02 * square, `${measured} measured, ${square} by the gradient`)
    })
  })

  test(`${name}: where a batch touches rows, their gradient is that of all parameters, which is 0 elsewhere`, async (t) => {
    await withTask(async (task) => {
      const { rows } = task
      t.pass('or a batch touches all parameters')
      if (rows === undefined) return
      const x = await task.initialise(3).run()
      const batch = someBatch(task)
      const { width } = rows
      t.is(rows.count * width, x.length)
      const keys = rows.keysOf(batch, 5)
      t.deepEqual(
        [...keys],
        [...new Set(keys)].sort((left, right) => left - right)
      )
      const rowValues = new Float32Array(keys.length * width)
      for (const [index, key] of keys.entries())
        rowValues.set(x.subarray(key * width, (key + 1) * width), index * width)
      const out = new Float32Array(rowValues.length).fill(7)
      const { loss, vector } = await task.gradient(x, batch, 5).run()
      t.is(await rows.gradient(rowValues, keys, batch, out, 5).run(), loss)
      const expanded = new Float32Array(x.length)
      for (const [index, key] of keys.entries())
        expanded.set(out.subarray(index * width, (index + 1) * width), key * width)
      t.deepEqual(expanded, vector)
    })
  })

  test(`${name}: evaluating gives the same finite loss twice, and an accuracy from 0 to 1 if any`, async (t) => {
    await withTask(async (task) => {
      const x = await task.initialise(3).run()
      const { loss, accuracy = 0 } = await task.evaluate(x).run()
      t.true(Number.isFinite(loss))
      t.true(accuracy >= 0 && accuracy <= 1)
      t.is((await task.evaluate(x).run()).loss, loss)
    })
  })
}
