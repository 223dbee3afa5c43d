import { StoreError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type OpenedStore, openStore, type StoreOptions } from './index.js'
import { programPath, type RunningProgram, startMariaDb, startRedis } from './programs.js'

/** The programs that must meet the same contract. A program that is not installed is skipped. */
const programs = [
  { name: 'Redis', program: 'redis-server', package: 'redis-server', start: () => startRedis() },
  { name: 'MariaDB', program: 'mariadbd', package: 'mariadb-server', start: () => startMariaDb('1M') }
]

const numbers = (...values: readonly number[]) => new Float32Array(values)

for (const { name, program, package: debian, start } of programs) {
  const isThere = programPath(program) !== undefined
  const when = isThere ? test.serial : test.serial.skip
  const that = (title: string) => `${name}: ${title}${isThere ? '' : ` (skipped: apt-get install ${debian})`}`
  let running: RunningProgram | undefined
  test.before(async () => {
    if (isThere) running = await start()
  })
  test.after.always(async () => running?.end())
  const open = async (t: ExecutionContext, options: Partial<StoreOptions> = {}): Promise<OpenedStore> => {
    const store = await openStore({ url: running?.url ?? '', run: t.title, timeout: 60_000, ...options })
    t.teardown(() => store.close())
    return store
  }

  when(that('numbers come back bit by bit, with a version that each write raises by 1'), async (t) => {
    const store = await open(t)
    const into = numbers(7, 7, 7)
    t.is(await store.get('x', into), undefined)
    t.deepEqual(into, numbers(7, 7, 7), 'what is not there changes nothing')
    t.is(await store.set('x', numbers(1, -0, 1e-40)), 1)
    t.is(await store.set('x', numbers(0.1, -0, 1e-40)), 2)
    t.is(await store.get('x', into), 2)
    t.deepEqual(into, numbers(0.1, -0, 1e-40))
  })

  when(that('what is created stays when it is created again; what is removed is gone'), async (t) => {
    const store = await open(t)
    await store.create('x', numbers(1))
    await store.create('x', numbers(2))
    const into = numbers(0)
    t.is(await store.get('x', into), 1)
    t.deepEqual(into, numbers(1))
    await store.remove(['x', 'never'])
    t.is(await store.get('x', into), undefined)
    t.is(await store.set('x', numbers(3)), 1, 'it begins anew')
  })

  when(that('of additions of two services at once none is lost; of reads and writes some are'), async (t) => {
    const [one, two] = [await open(t), await open(t)]
    const length = 3000
    t.is(await one.add('sum', new Float32Array(length)), undefined, 'there is nothing to add to')
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
    t.deepEqual(versions, [22, 23], 'the second sees by its version that it has overwritten an update')
  })

  when(that('runs do not see each other, and an object of another model is refused'), async (t) => {
    const [mine, theirs] = [await open(t, { run: 'mine' }), await open(t, { run: 'theirs' })]
    await mine.set('x', numbers(1, 2))
    t.is(await theirs.get('x', numbers(0, 0)), undefined)
    const error = await t.throwsAsync(async () => mine.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /mine.* has 2 numbers, expected 1: it is of another model/)
  })

  when(that('one that is killed is waited for, which is said; nothing hangs when it stays away'), async (t) => {
    const said: string[] = []
    const store = await open(t, { onWait: (text) => said.push(text) })
    await store.set('x', numbers(1))
    await running?.kill()
    const impatient = await open(t, { timeout: 300 })
    const error = await t.throwsAsync(async () => impatient.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /^(redis|mysql):\/\/127\.0\.0\.1:\d+.* was away for 0\.3 s: .*start it, or raise/)
    const waited = store.get('y', numbers(0))
    while (said.length === 0) await new Promise((resolve) => setImmediate(resolve))
    t.regex(said[0], /is away \(.*\); it is waited for, up to 60 s/)
    await running?.start()
    t.is(await waited, undefined)
    t.regex(said[1], /is back after/)
  })

  when(that('one that answers nothing any more holds up no end'), async (t) => {
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
    t.pass('and not only when the database goes on')
    running?.pause(false)
  })

  if (name === 'MariaDB')
    when(that('an object beyond its largest packet is refused with the way out'), async (t) => {
      const store = await open(t)
      const error = await t.throwsAsync(async () => store.set('x', new Float32Array(400_000)), {
        instanceOf: StoreError
      })
      t.regex(error.message, /raise max_allowed_packet of the database, or store the parameters in more chunks/)
    })

  test.serial(that('a URL that leads nowhere ends with its place and no secret'), async (t) => {
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

withRedis('Redis: without the password it refuses at once, and says where to give it', async (t) => {
  const redis = await startRedis({ password: 'secret-word' })
  t.teardown(() => redis.end())
  for (const password of [undefined, 'wrong-word']) {
    const store = await openStore({ url: redis.url, password, run: 'r', timeout: 60_000 })
    t.teardown(() => store.close())
    const error = await t.throwsAsync(async () => store.get('x', numbers(0)), { instanceOf: StoreError })
    t.regex(error.message, /give its password in MURMUR_STORE_PASSWORD/)
    t.notRegex(error.message, /-word/)
  }
  const store = await openStore({ url: redis.url, password: 'secret-word', run: 'r', timeout: 60_000 })
  t.teardown(() => store.close())
  t.is(await store.set('x', numbers(1)), 1)
})

test('a scheme of no store is refused, and a database of Redis that is no number', async (t) => {
  await t.throwsAsync(async () => openStore({ url: 'redis://localhost/mine', run: 'r', timeout: 1 }), {
    instanceOf: StoreError,
    message: /redis:\/\/localhost\/mine: a database of Redis is a number/
  })
  await t.throwsAsync(async () => openStore({ url: 'ftp://here', run: 'r', timeout: 1 }), {
    instanceOf: StoreError,
    message: /ftp:\/\/… is no store: expected redis/
  })
})
