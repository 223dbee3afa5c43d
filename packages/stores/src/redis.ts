/**
 * Redis and Valkey. An object is two keys: a string of bytes, and a counter for its version. Both change in one
 * transaction.
 */
import { messageOf, StoreError } from '@murmuration/core'
import { bytesOf, readInto } from './numbers.js'
import type { OpenedStore, StoreOptions } from './options.js'
import { longestDelay, addressOf, Waiting } from './waiting.js'

/** Objects that were not written for a day belong to runs that did not end cleanly. */
const lifetime = { EX: 86_400 }

/**
 * Adds float32 numbers, a block at a time: a script has a stack of a few thousand values. Returns the new version, or
 * nil for a missing object.
 */
const addScript = `
local key, count, update = KEYS[1], KEYS[2], ARGV[1]
local length = redis.call('STRLEN', key)
if length == 0 then return nil end
if length ~= #update then return redis.error_reply('LENGTH ' .. length) end
local block = 1024
for first = 0, length - 1, 4 * block do
  local size = math.min(block, (length - first) / 4)
  local format = '<' .. string.rep('f', size)
  local sum = { struct.unpack(format, redis.call('GETRANGE', key, first, first + 4 * size - 1)) }
  local more = { struct.unpack(format, update, first + 1) }
  for i = 1, size do sum[i] = sum[i] + more[i] end
  redis.call('SETRANGE', key, first, struct.pack(format, unpack(sum, 1, size)))
end
redis.call('EXPIRE', key, ARGV[2])
redis.call('EXPIRE', count, ARGV[2])
return redis.call('INCR', count)`

/** An error reply of Redis begins with a word in capitals; connection errors do not. */
const reply = /^[A-Z]{2,} /

/** Replies of a Redis that starts, or is busy with another client's script: a retry can succeed. */
const busy = /^(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/

function isRefusal(error: unknown): boolean {
  const message = messageOf(error)
  return reply.test(message) && !busy.test(message)
}

/** Opens a Redis or Valkey. */
export async function openRedis(options: StoreOptions): Promise<OpenedStore> {
  const { createClient, RESP_TYPES } = await import('redis').catch(() => {
    throw new StoreError('a store redis://… needs the package "redis", which is not installed: npm install redis')
  })
  const { url, password, run, timeout, onWait } = options
  if (!/^(\/\d*)?$/.test(new URL(url).pathname))
    throw new StoreError(`${addressOf(url)}: expected a number as the database, as in redis://host:6379/0`)
  const client = createClient({
    url,
    ...(password === undefined ? {} : { password }),
    disableOfflineQueue: true,
    socket: {
      connectTimeout: Math.min(timeout, longestDelay),
      // A client with a wrong name or password would be refused again.
      reconnectStrategy: (retries, cause) => (isRefusal(cause) ? cause : Math.min(20 * 2 ** retries, 500))
    }
  })
  let refusal: unknown
  client.on('error', (error: unknown) => {
    if (isRefusal(error)) refusal = error
  })
  const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const address = addressOf(url)
  const waiting = new Waiting({
    name: address,
    timeout,
    onWait,
    isUnreachable: (error) => !isRefusal(error),
    fix: (error) => fixOf(messageOf(error))
  })
  let isOpening = false
  const attempt = <Result>(act: () => Promise<Result>) =>
    waiting.attempt(() => {
      if (refusal !== undefined) throw refusal
      if (!isOpening) {
        isOpening = true
        // The client retries the connection. Operations fail meanwhile, and `attempt` retries them.
        client.connect().catch((error: unknown) => (refusal = error))
      }
      return act()
    })
  const keysOf = (key: string) => [`murmuration:{${run}}:${key}`, `murmuration:{${run}}:${key}:version`] as const
  return {
    async get(key, into) {
      const [name, count] = keysOf(key)
      const [bytes, version] = await attempt(() => binary.mGet([name, count]))
      if (bytes === null || version === null) return undefined
      readInto(into, bytes, `${address}: ${name}`)
      return Number(version.toString())
    },
    async set(key, values) {
      const [name, count] = keysOf(key)
      const replies = await attempt(() =>
        client
          .multi()
          .set(name, bytesOf(values), { expiration: { type: 'EX', value: lifetime.EX } })
          .incr(count)
          .expire(count, lifetime.EX)
          .exec()
      )
      return Number(replies[1])
    },
    async add(key, values) {
      const [name, count] = keysOf(key)
      const version = await attempt(() =>
        client.eval(addScript, { keys: [name, count], arguments: [bytesOf(values), String(lifetime.EX)] as string[] })
      )
      return version === null ? undefined : Number(version)
    },
    async create(key, values) {
      const [name, count] = keysOf(key)
      await attempt(() =>
        client.eval(
          "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) return redis.call('SET', KEYS[2], 1, 'EX', ARGV[2])",
          {
            keys: [name, count],
            arguments: [bytesOf(values), String(lifetime.EX)] as string[]
          }
        )
      )
    },
    async remove(keys) {
      if (keys.length > 0) await attempt(() => client.unlink(keys.flatMap(keysOf)))
    },
    close() {
      waiting.close()
      client.destroy()
      return Promise.resolve()
    }
  }
}

/** How to fix an error of Redis. */
function fixOf(message: string): string | undefined {
  if (/^(NOAUTH|WRONGPASS|NOPERM)|invalid username-password|AUTH/.test(message))
    return 'set MURMUR_STORE_PASSWORD to its password'
  if (message.startsWith('MISCONF')) return 'it cannot write its snapshot: check its log and its disk'
  if (message.startsWith('OOM')) return 'its maxmemory is too small for the parameters'
  if (message.startsWith('LENGTH')) return 'the object belongs to another model'
  if (/bulk length|exceeds/.test(message)) return 'store the parameters in more chunks'
  return undefined
}
