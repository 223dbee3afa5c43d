import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { InputError, StoppedError, type Task } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import {
  buildTaskHere,
  createSoftmaxTask,
  quadraticTaskModule,
  softmaxTaskModule,
  startTaskWorker,
  type TaskWorkerOptions
} from './index.js'

const softmaxOptions = {
  localData: {
    data: { kind: 'digits', samples: 100 },
    testFraction: 0.2,
    partition: { kind: 'equal' },
    peers: ['a', 'b'],
    self: 'b',
    seed: 1
  }
} as const

/** A module whose task has one parameter and computes with the given functions, as text. */
function moduleOf(functions: Readonly<Record<'gradient' | 'evaluate', string>>, property = ''): string {
  const code = `
    export async function createTask() {
      const work = (run) => ({ kind: 'x', samples: 1, run })
      return {
        schema: [{ name: 'x', shape: [1] }], samples: 1, about: {}, ${property}
        initialise: (seed) => work(async () => Float32Array.of(seed)),
        gradient: (x, batch) => work(async () => { ${functions.gradient} }),
        evaluate: (x) => work(async () => { ${functions.evaluate} })
      }
    }`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

async function start(t: ExecutionContext, module: string, options?: unknown, limits?: TaskWorkerOptions) {
  const worker = await startTaskWorker({ module, options }, limits)
  t.teardown(() => worker.close())
  return worker
}

const noBatch = Uint32Array.of(0)
const answering = {
  gradient: 'return { loss: x[0], vector: Float32Array.of(2 * x[0]) }',
  evaluate: 'return { loss: x[0] }'
}

test('a task in a thread gives the same bits as in this thread', async (t) => {
  const worker = await start(t, softmaxTaskModule, softmaxOptions)
  const here = await createSoftmaxTask(softmaxOptions)
  const parameters = (await here.initialise(1).run()).map((_, index) => Math.fround((index % 7) / 10))
  const both = async (compute: (task: Task) => Promise<unknown>) =>
    t.deepEqual(await compute(worker), await compute(here))
  await both(async (task) => task.initialise(1).run())
  await both(async (task) => task.gradient(parameters, Uint32Array.of(3, 1, 4, 1)).run())
  await both(async (task) => task.evaluate(parameters).run())
  t.deepEqual(worker.schema, here.schema)
  t.is(worker.samples, here.samples)
  t.is(worker.about.data, here.about.data)
  t.is(worker.evaluate(parameters).samples, 20)
})

test('requests made at once are answered each with its own', async (t) => {
  const worker = await start(t, moduleOf(answering))
  const answers = await Promise.all([
    worker
      .gradient(Float32Array.of(1), noBatch)
      .run()
      .then(({ loss, vector }) => [loss, vector[0]]),
    worker.evaluate(Float32Array.of(2)).run(),
    worker
      .gradient(Float32Array.of(3), noBatch)
      .run()
      .then(({ loss, vector }) => [loss, vector[0]]),
    worker.initialise(4).run()
  ])
  t.deepEqual(answers, [[1, 2], { loss: 2 }, [3, 6], Float32Array.of(4)])
})

test('an input error of building the task stays one, with its message', async (t) => {
  const started = startTaskWorker({ module: quadraticTaskModule, options: { peers: [], seed: 1 } })
  await t.throwsAsync(started, { instanceOf: InputError, message: /peers is 0, expected at least one name/ })
})

test('a module that is not there, or makes no task, is refused', async (t) => {
  const missing = startTaskWorker({ module: 'file:///nowhere/task.js', options: {} })
  await t.throwsAsync(missing, { instanceOf: InputError, message: /file:\/\/\/nowhere\/task\.js cannot be loaded/ })
  const empty = startTaskWorker({ module: 'data:text/javascript,export const x = 1', options: {} })
  await t.throwsAsync(empty, { instanceOf: InputError, message: /does not export the function createTask/ })
})

test('an error of computing rejects that request, and the next is answered', async (t) => {
  const worker = await start(t, moduleOf({ ...answering, gradient: 'throw new RangeError("too steep")' }))
  const gradient = worker.gradient(Float32Array.of(1), noBatch).run()
  await t.throwsAsync(gradient, { name: 'RangeError', message: 'too steep' })
  t.deepEqual(await worker.evaluate(Float32Array.of(5)).run(), { loss: 5 })
})

test('an accuracy that is no fraction is an error that names the module, the value and what is expected', async (t) => {
  const module = moduleOf({ ...answering, evaluate: 'return { loss: 1, accuracy: x[0] }' })
  const here = await buildTaskHere({ module, options: {} })
  for (const task of [await start(t, module), here]) {
    const accuracyOf = async (value: number) => (await task.evaluate(Float32Array.of(value)).run()).accuracy
    for (const value of [0, 0.5, 1]) t.is(await accuracyOf(value), value)
    for (const value of [97, -0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = await t.throwsAsync(accuracyOf(value), { instanceOf: InputError })
      t.true(error?.message.startsWith(`the task's module ${module} computed an accuracy of ${value}, expected 0 … 1`))
    }
  }
})

const deaths = [
  ['exits', 'process.exit(3)', /ended with code 3/],
  [
    'throws where nobody catches',
    'setTimeout(() => { throw new Error("out of the blue") }); await new Promise(() => 0)',
    /out of the blue/
  ]
] as const

for (const [how, gradient, message] of deaths) {
  test(`when the thread ${how}, all that was and will be asked for rejects`, async (t) => {
    const worker = await start(t, moduleOf({ ...answering, gradient }))
    const asked = [worker.gradient(Float32Array.of(1), noBatch).run(), worker.evaluate(Float32Array.of(1)).run()]
    const outcomes = await Promise.allSettled(asked)
    for (const outcome of outcomes) t.regex(String(outcome.status === 'rejected' && outcome.reason), message)
    await t.throwsAsync(worker.initialise(1).run(), { message })
  })
}

const endless = { ...answering, gradient: 'for (;;) {}' }

test('closing ends even a thread that computes forever, and rejects the pending requests', async (t) => {
  const worker = await start(t, moduleOf(endless))
  const waiting = worker.gradient(Float32Array.of(1), noBatch).run()
  const rejected = t.throwsAsync(waiting, { instanceOf: StoppedError })
  await worker.close()
  await rejected
  await t.throwsAsync(worker.evaluate(Float32Array.of(1)).run(), { instanceOf: StoppedError })
})

test('a thread whose task must answer before it ends does so, though the request is rejected at once, and is closed twice', async (t) => {
  const file = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'answered')
  const gradient = `
    for (const end = performance.now() + 500; performance.now() < end;);
    (await import('node:fs')).writeFileSync(${JSON.stringify(file)}, '')
    ${answering.gradient}`
  const worker = await start(t, moduleOf({ ...answering, gradient }, 'mustAnswerBeforeEnd: true,'))
  const waiting = worker.gradient(Float32Array.of(1), noBatch).run()
  const next = worker.evaluate(Float32Array.of(1)).run()
  await setImmediate()
  const closed = Promise.all([worker.close(), worker.close()])
  for (const request of [waiting, next]) await t.throwsAsync(request, { instanceOf: StoppedError })
  t.false(existsSync(file))
  await closed
  t.true(existsSync(file))
})

test('a thread that does not answer in time is given up', async (t) => {
  // On a busy machine even the start may time out: it has the same timeout.
  const late = start(t, moduleOf(endless), {}, { timeout: 2000 }).then((worker) =>
    worker.gradient(Float32Array.of(1), noBatch).run()
  )
  await t.throwsAsync(late, { message: /did not answer within 2 s/ })
})

test('a signal ends the thread while it builds the task', async (t) => {
  const module = 'data:text/javascript,export const createTask = () => new Promise(() => setInterval(() => 0, 1000))'
  const controller = new AbortController()
  const started = startTaskWorker({ module, options: {} }, { signal: controller.signal })
  controller.abort()
  await t.throwsAsync(started, { instanceOf: StoppedError })
})

test('what the thread prints does not reach standard output', async (t) => {
  const written: unknown[] = []
  const { write } = process.stdout
  process.stdout.write = (chunk: unknown) => written.push(chunk) > 0
  t.teardown(() => {
    process.stdout.write = write
  })
  const worker = await start(t, moduleOf({ ...answering, gradient: `console.log('noise'); ${answering.gradient}` }))
  await worker.gradient(Float32Array.of(1), noBatch).run()
  await worker.close()
  t.false(written.join().includes('noise'))
})

test('vectors of the wrong length and floods of requests are refused', async (t) => {
  const worker = await start(t, moduleOf(answering))
  await t.throwsAsync(worker.evaluate(new Float32Array(2)).run(), { message: 'found 2 parameters, expected 1' })
  const flood = Array.from({ length: 65 }, () => worker.initialise(1).run())
  const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === 'rejected')
  t.is(refused.length, 1)
  const short = await start(t, moduleOf({ ...answering, gradient: 'return { loss: 0, vector: new Float32Array(3) }' }))
  await t.throwsAsync(short.gradient(Float32Array.of(1), noBatch).run(), {
    instanceOf: InputError,
    message: /computed 3 numbers, but its schema has 1/
  })
})
