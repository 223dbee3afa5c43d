/** Serves the page, its events, the metrics and the health state. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { InputError, messageOf } from '@murmuration/core'
import { hasToken, isLocal, namesThisMachine, newToken, type WatchAddress } from './address.js'
import { assetAt, assets } from './assets.js'
import type { Board } from './board.js'
import type { WatchMessage } from './messages.js'
import { metricsText } from './metrics.js'

/** The most open pages at once. */
const maxPages = 16

/** The most connections. Beyond, the oldest without an open page is closed: answers take milliseconds. */
const maxSockets = 64

/** The most unread bytes of a page. A slower page is disconnected, and reconnects. */
const maxBacklog = 4 * 1024 * 1024

/** States in which a peer makes no progress. */
const paused = ['partitioned', 'isolated']

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store'
}

/** Serves one peer's board. */
export class WatchServer {
  /** The page's URL, with the token where one is needed. */
  readonly url: string
  readonly #server: Server
  readonly #board: Board
  readonly #token: string | undefined
  readonly #pages = new Set<ServerResponse>()
  /** In order of arrival. */
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, board: Board, { host, token }: WatchAddress) {
    const { port } = server.address() as AddressInfo
    const name = host.includes(':') ? `[${host}]` : host
    this.#server = server
    this.#board = board
    this.#token = token
    this.url = `http://${name}:${port}/${token === undefined ? '' : `?token=${token}`}`
    server.on('connection', (socket) => this.#accept(socket))
    server.on('request', (request, response) => this.#answer(request, response))
  }

  /** Rejects with an InputError when it cannot listen there. */
  static async start(board: Board, requested: WatchAddress): Promise<WatchServer> {
    const address = { ...requested, token: isLocal(requested) ? undefined : (requested.token ?? newToken()) }
    const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 5000 })
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(address.port, address.host, resolve)
      })
    } catch (error) {
      throw new InputError(
        `--watch: cannot listen on ${address.host}:${address.port}: ${messageOf(error)}; give another port, or 0 for any`
      )
    }
    server.on('error', () => {})
    // An open page must not keep the process alive.
    server.unref()
    return new WatchServer(server, board, address)
  }

  /** Sends a message to all open pages. */
  send(message: WatchMessage): void {
    if (this.#pages.size === 0) return
    const text = eventText(message)
    for (const page of this.#pages) {
      if (page.writableLength > maxBacklog) page.destroy()
      else page.write(text)
    }
  }

  /** Tells all open pages that nothing follows, and ends. */
  close(): void {
    this.send({ kind: 'end' })
    for (const page of this.#pages) page.end()
    this.#server.close()
    this.#server.closeIdleConnections()
    setTimeout(() => this.#server.closeAllConnections(), 500).unref()
  }

  /** Counts a connection. Node would refuse the newest when there are too many, so that idle ones keep others out. */
  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#sockets.size <= maxSockets) return
    const withPages = new Set([...this.#pages].map((page) => page.socket))
    const oldest = [...this.#sockets].find((each) => !withPages.has(each))
    if (oldest === undefined) return
    this.#sockets.delete(oldest)
    oldest.destroy()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = urlOf(request)
    if (url === undefined) return sendText(response, 400, 'invalid URL')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendText(response, 405, 'only GET and HEAD are supported')
    if (this.#token === undefined && !namesThisMachine(request))
      return sendText(response, 403, 'the Host header must be localhost')
    if (url.pathname === '/healthz') return this.#health(response)
    const asset = assets().get(url.pathname)
    if (asset !== undefined && url.pathname !== '/') return send(response, asset.type, assetAt(asset))
    if (this.#token !== undefined && !hasToken(request, url, this.#token))
      return sendText(response, 401, 'the token is missing or wrong; the peer prints it at its start: /?token=…')
    if (asset !== undefined) return send(response, asset.type, assetAt(asset))
    if (url.pathname === '/metrics') return send(response, 'text/plain; version=0.0.4', metricsText(this.#board))
    if (url.pathname === '/events' && request.method === 'GET') return this.#open(response)
    sendText(response, 404, 'not found; try /, /metrics or /healthz')
  }

  #health(response: ServerResponse): void {
    const { state } = this.#board.now
    const { version, wire } = this.#board.facts
    const isPaused = state !== undefined && paused.includes(state)
    sendText(response, isPaused ? 503 : 200, `${state ?? 'running'}\nmurmuration ${version} (wire ${wire})`)
  }

  #open(response: ServerResponse): void {
    if (this.#pages.size >= maxPages)
      return sendText(response, 503, `${maxPages} pages are open, the maximum; close one`)
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    response.on('close', () => this.#pages.delete(response))
    this.#pages.add(response)
    response.write(eventText(this.#board.snapshot()))
  }
}

function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  return URL.canParse(url, 'http://here') ? new URL(url, 'http://here') : undefined
}

const eventText = (message: WatchMessage) => `data: ${JSON.stringify(message)}\n\n`

function sendText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { ...headers, 'content-type': `${type}; charset=utf-8` }).end(body)
}
