import { StoreError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type OpenedStore, openStore, type StoreOptions } from '../index.js'
import { programPath, type RunningProgram, startMariaDb, startRedis } from '../programs.js'

/** The programs that must meet the same contract. A program that is not installed is skipped. */
const programs = [
  { name: 'Redis', program: 'redis-server', package: 'redis-server', start: () => startRedis() },
  { name: 'MariaDB', program: 'mariadbd', package: 'mariadb-server', start: () => startMariaDb('1M') }
]

const numbers = (...values: readonly number[]) => new Float32Array(values)

for (const { name, program, package: debian, start } of programs) {
  const isInstalled = programPath(program) !== undefined
  const when = isInstalled ? test.serial : test.serial.skip
  const titled = (title: string) => `${name}: ${title}${isInstalled ? '' : ` (skipped: apt-get install ${debian})`}`
  let running: RunningProgram | undefined
  test.before(async () => {
    if (isInstalled) running = await start()
  })
  test.after.always(async () => running?.end())
  const open = async (t: ExecutionContext, options: Partial<StoreOptions> = {}): Promise<OpenedStore> => {
    const store = await openStore({ url: running?.url ?? '', run: t.title, timeout: 60_000, ...options })
    t.teardown(() => store.close())
    return store
  }

  when(titled('numbers come back bit by bit, with a version that each write raises by 1'), async (t) => {
    const store = await open(t)
    const into = numbers(7, 7, 7)
    t.is(await store.get('x', into), undefined)
    t.deepEqual(into, numbers(7, 7, 7), 'a missing object changes nothing')
    t.is(await store.set('x', numbers(1, -0, 1e-40)), 1)
    t.is(await store.set('x', numbers(0.1, -0, 1e-40)), 2)
    t.is(await store.get('x', into), 2)
    t.deepEqual(into, numbers(0.1, -0, 1e-40))
  })

  when(titled('creating an object again leaves it as it is; a removed object is missing'), async (t) => {
    const store = await open(t)
    await store.create('x', numbers(1))
    await store.create('x', numbers(2))
    const into = numbers(0)
    t.is(await store.get('x', into), 1)
    t.deepEqual(into, numbers(1))
    await store.remove(['x', 'never'])
    t.is(await store.get('x', into), undefined)
    t.is(await store.set('x', numbers(3)), 1, 'versions start again')
  })

  when(
    titled('concurrent additions of two services are never lost; a read and a write overwrite an addition'),
    async (t) => {
      const one = await open(t)
      const two = await open(t)
      const length = 3000
      t.is(await one.add('sum', new Float32Array(length)), undefined, 'the object is missing')
      await one.create('sum', new Float32Array(length))
      const update = Float32Array.from({ length }, (_, i) => i % 7)
      await Promise.all(
        [one, two].map(async (store) => {
          for (let i = 0; i < 10; i++) await store.add('sum', update)
        })
      )
      const into = new Float32Array(length)
      t.is(await one.get('sum', into), 21)
      t.deepEqual(
        into,
        update.map((value) => 20 * value)
      )

      const a = new Float32Array(length)
      const b = new Float32Array(length)
      const read = await Promise.all([one.get('sum', a), two.get('sum', b)])
      t.deepEqual(read, [21, 21])
      const versions = [await one.set('sum', a), await two.set('sum', b)]
      t.deepEqual(versions, [22, 23], 'the version shows that the second write has overwritten an update')
    }
  )

  when(titled('runs do not see each other, and an object of another model is refused'), async (t) => {
    const first = await open(t, { run: 'first' })
    const second = await open(t, { run: 'second' })
    await first.set('x', numbers(1, 2))
    t.is(await second.get('x', numbers(0, 0)), undefined)
    const error = await t.throwsAsync(async () => first.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /first.* has 2 numbers, expected 1: it belongs to another model/)
  })

  when(titled('operations retry while the store is down, and report it; after the timeout they fail'), async (t) => {
    const messages: string[] = []
    const store = await open(t, { onWait: (text) => messages.push(text) })
    await store.set('x', numbers(1))
    await running?.kill()
    const impatient = await open(t, { timeout: 300 })
    const error = await t.throwsAsync(async () => impatient.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /^(redis|mysql):\/\/127\.0\.0\.1:\d+.* was unreachable for 0\.3 s: .*start it, or raise/)
    const waited = store.get('y', numbers(0))
    while (messages.length === 0) await new Promise((resolve) => setImmediate(resolve))
    t.regex(messages[0], /is unreachable \(.*\); retrying for up to 60 s/)
    await running?.start()
    t.is(await waited, undefined)
    t.regex(messages[1], /is back after/)
  })

  when(titled('a store that no longer answers does not delay closing'), async (t) => {
    const store = await openStore({ url: running?.url ?? '', run: t.title, timeout: 500 })
    await store.set('x', numbers(1))
    running?.pause(true)
    t.teardown(() => running?.pause(false))
    // SIGSTOP reaches the threads one after another, so one of them may still answer.
    const ask = () =>
      store.get('x', numbers(0)).then(
        () => undefined,
        (error: unknown) => error
      )
    let refusal = await ask()
    while (refusal === undefined) refusal = await ask()
    t.true(refusal instanceof StoreError, String(refusal))
    await store.close()
    t.pass('it closed before the database resumed')
    running?.pause(false)
  })

  if (name === 'MariaDB')
    when(titled('an object beyond its largest packet is refused, with a fix'), async (t) => {
      const store = await open(t)
      const error = await t.throwsAsync(async () => store.set('x', new Float32Array(400_000)), {
        instanceOf: StoreError
      })
      t.regex(error.message, /raise max_allowed_packet of the database, or store the parameters in more chunks/)
    })

  test.serial(titled('the error for an unreachable store shows its address, but no password'), async (t) => {
    const scheme = name === 'Redis' ? 'redis' : 'mysql'
    const password = 'do-not-show'
    const store = await openStore({
      url: `${scheme}://somebody@127.0.0.1:1${name === 'Redis' ? '' : '/db'}`,
      password,
      run: 'r',
      timeout: 200
    })
    t.teardown(() => store.close())
    const error = await t.throwsAsync(async () => store.get('x', numbers(0)), { instanceOf: StoreError })
    t.true(error.message.startsWith(`${scheme}://127.0.0.1:1`), error.message)
    t.false(error.message.includes(password))
  })
}

const withRedis = programPath('redis-server') === undefined ? test.serial.skip : test.serial

withRedis('Redis: a missing password is refused at once, and the error says how to set it', async (t) => {
  const redis = await startRedis({ password: 'secret-word' })
  t.teardown(() => redis.end())
  for (const password of [undefined, 'wrong-word']) {
    const store = await openStore({ url: redis.url, password, run: 'r', timeout: 60_000 })
    t.teardown(() => store.close())
    const error = await t.throwsAsync(async () => store.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /set MURMUR_STORE_PASSWORD to its password/)
    t.notRegex(error.message, /-word/)
  }
  const store = await openStore({ url: redis.url, password: 'secret-word', run: 'r', timeout: 60_000 })
  t.teardown(() => store.close())
  t.is(await store.set('x', numbers(1)), 1)
})

test('an unknown scheme is refused, and a Redis database that is not a number', async (t) => {
  await t.throwsAsync(async () => openStore({ url: 'redis://localhost/mine', run: 'r', timeout: 1 }), {
    instanceOf: StoreError,
    message: /redis:\/\/localhost\/mine: expected a number as the database/
  })
  await t.throwsAsync(async () => openStore({ url: 'ftp://here', run: 'r', timeout: 1 }), {
    instanceOf: StoreError,
    message: /unknown store ftp:\/\/…: expected redis/
  })
})
