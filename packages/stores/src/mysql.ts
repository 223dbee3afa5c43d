/** MySQL and MariaDB. An object is a row: name, version, numbers. All queries on objects are prepared statements. */
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, StoreError } from '@murmuration/core'
import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise'
import { bytesOf, readInto } from './numbers.js'
import type { OpenedStore, StoreOptions } from './options.js'
import { longestDelay, addressOf, Waiting } from './waiting.js'

/** The timeout of closing the connections, in milliseconds. */
const closeTimeout = 1000

const createTable = `CREATE TABLE IF NOT EXISTS murmuration_objects (
  name VARCHAR(190) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL,
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  numbers LONGBLOB NOT NULL
) ENGINE=InnoDB`

/** Objects that were not written for a day belong to runs that did not end cleanly. */
const removeOld = 'DELETE FROM murmuration_objects WHERE changed < NOW() - INTERVAL 1 DAY'
const select = 'SELECT version, numbers FROM murmuration_objects WHERE name = ?'
/** LAST_INSERT_ID makes the statement return the new version. */
const update = 'UPDATE murmuration_objects SET numbers = ?, version = LAST_INSERT_ID(version + 1) WHERE name = ?'
const insert = 'INSERT IGNORE INTO murmuration_objects (name, version, numbers) VALUES (?, 1, ?)'
const remove = 'DELETE FROM murmuration_objects WHERE name = ?'

/** Errors after which a retry can succeed, such as a deadlock of two services on rows. */
const transient = ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_SERVER_SHUTDOWN', 'ER_CON_COUNT_ERROR']

/** Opens a MySQL or MariaDB. */
export async function openMysql(options: StoreOptions): Promise<OpenedStore> {
  const { createPool } = await import('mysql2/promise').catch(() => {
    throw new StoreError('a store mysql://… needs the package "mysql2", which is not installed: npm install mysql2')
  })
  const { url, password, run, timeout, onWait } = options
  const { hostname, port, username, pathname } = new URL(url)
  const database = pathname.slice(1)
  if (database === '')
    throw new StoreError(`${addressOf(url)}: the URL names no database: expected mysql://user@host:3306/database`)
  const pool = createPool({
    // Only a URL has brackets around an IPv6 address.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 3306 : Number(port),
    user: decodeURIComponent(username) || 'root',
    ...(password === undefined ? {} : { password }),
    database,
    connectionLimit: 2,
    connectTimeout: Math.min(timeout, longestDelay)
  })
  const connections = new Set<{ destroy(): void }>()
  pool.on('connection', (connection) => connections.add(connection))
  const address = addressOf(url)
  const waiting = new Waiting({ name: address, timeout, onWait, isUnreachable, fix: fixOf })
  let isReady = false
  const attempt = <Result>(act: (pool: Pool) => Promise<Result>) =>
    waiting.attempt(async () => {
      if (!isReady) {
        await pool.query(createTable)
        await pool.query(removeOld)
        isReady = true
      }
      return act(pool)
    })
  const nameOf = (key: string) => `${run}:${key}`
  const create = async (key: string, values: Float32Array) => {
    const [{ affectedRows }] = await attempt((to) =>
      to.execute<ResultSetHeader>(insert, [nameOf(key), bytesOf(values)])
    )
    return affectedRows > 0
  }
  return {
    async get(key, into) {
      const [[row]] = await attempt((from) => from.execute<RowDataPacket[]>(select, [nameOf(key)]))
      return row === undefined ? undefined : copyRow(row, into, `${address}: ${nameOf(key)}`)
    },
    async set(key, values) {
      for (;;) {
        const [{ affectedRows, insertId }] = await attempt((to) =>
          to.execute<ResultSetHeader>(update, [bytesOf(values), nameOf(key)])
        )
        if (affectedRows > 0) return insertId
        if (await create(key, values)) return 1
      }
    },
    add: (key, values) =>
      attempt((to) => inTransaction(to, (connection) => addToRow(connection, nameOf(key), values, address))),
    async create(key, values) {
      await create(key, values)
    },
    async remove(keys) {
      for (const key of keys) await attempt((from) => from.execute(remove, [nameOf(key)]))
    },
    async close() {
      waiting.close()
      // `end` alone would wait for statements that the database never answers.
      await Promise.race([pool.end().catch(() => {}), delay(closeTimeout, undefined, { ref: false })])
      for (const connection of connections) connection.destroy()
    }
  }
}

/** Copies the numbers of a row. Returns its version. */
function copyRow(row: RowDataPacket, into: Float32Array, name: string): number {
  readInto(into, row.numbers as Buffer, name)
  return Number(row.version)
}

/** Adds to an object and locks its row meanwhile: MySQL has no arithmetic on arrays. Returns the new version. */
async function addToRow(
  connection: PoolConnection,
  name: string,
  values: Float32Array,
  address: string
): Promise<number | undefined> {
  const [[row]] = await connection.execute<RowDataPacket[]>(`${select} FOR UPDATE`, [name])
  if (row === undefined) return undefined
  const sum = new Float32Array(values.length)
  copyRow(row, sum, `${address}: ${name}`)
  for (let i = 0; i < sum.length; i++) sum[i] += values[i]
  const [{ insertId }] = await connection.execute<ResultSetHeader>(update, [bytesOf(sum), name])
  return insertId
}

async function inTransaction<Result>(
  pool: Pool,
  act: (connection: PoolConnection) => Promise<Result>
): Promise<Result> {
  const connection = await pool.getConnection()
  try {
    await connection.beginTransaction()
    const result = await act(connection)
    await connection.commit()
    connection.release()
    return result
  } catch (error) {
    connection.destroy()
    throw error
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '')
}

/** Connection errors have codes of Node or PROTOCOL_…; codes of the database begin with ER_. */
function isUnreachable(error: unknown): boolean {
  const code = codeOf(error)
  return transient.includes(code) || (code !== '' && !code.startsWith('ER_'))
}

/** How to fix an error of the database. */
function fixOf(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === 'ER_ACCESS_DENIED_ERROR') return 'set MURMUR_STORE_PASSWORD to the password of the user in the URL'
  if (code === 'ER_BAD_DB_ERROR') return 'create the database'
  if (code === 'ER_NET_PACKET_TOO_LARGE' || /max_allowed_packet/.test(messageOf(error)))
    return 'raise max_allowed_packet of the database, or store the parameters in more chunks'
  return undefined
}
