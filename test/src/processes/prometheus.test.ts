/** Prometheus itself reads the metrics, and the queries of the dashboard find them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { Board, type PeerReport, reportNote, WatchServer } from '@murmuration/watch'
import test from 'ava'
import { freePorts, temporaryFolder } from './command.js'
import { textOf } from '../repository.js'

const program = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prometheus'))
  .find((file) => existsSync(file))
const withPrometheus = program === undefined ? test.skip : test
const skipped = program === undefined ? ' (skipped: there is no prometheus; Debian has a package of that name)' : ''

const token = 'a-token-of-more-than-16-letters'

/** Two training peers, as one of them sees them. */
function boardOfTwo(): Board {
  const names = ['a', 'b'].map(peerName)
  const facts = {
    self: names[0],
    peers: names,
    servers: [],
    topology: 'complete',
    algorithm: 'D-PSGD',
    version: '1.2.3',
    wire: 9
  }
  const board = new Board({ ...facts, rounds: 9, finalRounds: 1, about: {} }, 1000, 0)
  for (const [place, name] of names.entries()) {
    const report: PeerReport = {
      phase: 'training',
      state: 'healthy',
      round: 3 + place,
      life: 1,
      samples: 100,
      seconds: 2,
      loss: 0.5 + place,
      bytesSent: 1000,
      bytesReceived: 2000,
      working: 0.5,
      waiting: 0.25,
      sending: 1,
      accuracy: 0.9,
      consensusDistance: 0.1,
      links: [[names[1 - place], 'ready', 10, 20, 1.5]]
    }
    board.take(name, reportNote(report), 500)
  }
  const standing = { condition: 'here', round: 3, life: 1, waitsFor: [] } as const
  board.tick(1000, { state: 'healthy', members: 2, present: 2, standingOf: () => standing })
  return board
}

/** All queries of the dashboard. */
function queries(): readonly string[] {
  const { panels } = JSON.parse(textOf('docs/grafana-dashboard.json')) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
  }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly value: readonly [number, string]
    }[]
  }
}

withPrometheus(
  `Prometheus scrapes a peer as docs/use/watching.md has it, and every query of the dashboard finds its metrics${skipped}`,
  async (t) => {
    const server = await WatchServer.start(boardOfTwo(), { host: '0.0.0.0', port: 0, token })
    t.teardown(() => server.close())
    const folder = await temporaryFolder()
    const [port] = await freePorts(1)
    const [, example = ''] = /```yaml\n(scrape_configs:[\s\S]*?)```/.exec(textOf('docs/use/watching.md')) ?? []
    const config = example
      .replace('scrape_interval: 5s', 'scrape_interval: 250ms')
      .replace('THE-TOKEN', token)
      .replace('localhost:8080', `127.0.0.1:${new URL(server.url).port}`)
    t.true(config.includes(token) && config.includes('250ms') && config.includes('127.0.0.1'), config)
    const file = join(folder, 'prometheus.yml')
    await writeFile(file, config)
    const place = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`
    ]
    const child = spawn(program ?? '', [...place, '--log.level=warn'], { stdio: ['ignore', 'ignore', 'pipe'] })
    t.teardown(() => ended(child))
    let complaints = ''
    child.stderr.on('data', (text) => (complaints += String(text)))
    const limit = Date.now() + timeLimit(15_000)
    const ask = async (query: string): Promise<Answer['data']['result']> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
      for (;;) {
        const answer = await fetch(url, { signal: AbortSignal.timeout(timeLimit(10_000)) }).catch(() => undefined)
        const found = answer?.ok === true ? ((await answer.json()) as Answer).data.result : []
        if (found.length > 0) return found
        if (Date.now() > limit || child.exitCode !== null) throw new Error(`nothing found for ${query}; ${complaints}`)
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    const all = queries()
    t.true(all.length > 10)
    for (const query of all) {
      for (const { value } of await ask(query)) t.true(Number.isFinite(Number(value[1])), `${query}: ${value[1]}`)
    }
    const losses = await ask('max by (peer) (murmuration_peer_loss)')
    t.deepEqual(losses.map(({ metric, value }) => [metric.peer, value[1]]).sort(), [
      ['a', '0.5'],
      ['b', '1.5']
    ])
  }
)

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const end = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await end
}
