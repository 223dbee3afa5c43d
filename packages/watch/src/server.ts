/** Serves the page, its events, the metrics and the health state. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasToken, isLocal, namesThisMachine, newToken, type WatchAddress } from './address.js'
import { assetAt, assets } from './assets.js'
import type { Board } from './board.js'
import type { WatchMessage } from './messages.js'
import { metricsText } from './metrics.js'
import { closeServer, inUrl, listen, onlyReads, portOf, sendText as sendTextWith } from './serving.js'

/** The most open pages at once. */
const maxPages = 16

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
  readonly #pages: Set<ServerResponse>

  private constructor(server: Server, board: Board, { host, token }: WatchAddress, pages: Set<ServerResponse>) {
    this.#server = server
    this.#board = board
    this.#token = token
    this.#pages = pages
    this.url = `http://${inUrl(host)}:${portOf(server)}/${token === undefined ? '' : `?token=${token}`}`
    server.on('request', (request, response) => this.#answer(request, response))
  }

  /** Rejects with an InputError when it cannot listen there. */
  static async start(board: Board, requested: WatchAddress): Promise<WatchServer> {
    const address = { ...requested, token: isLocal(requested) ? undefined : (requested.token ?? newToken()) }
    const pages = new Set<ServerResponse>()
    // An open page is kept.
    const server = await listen(address, '--watch', (socket: Socket) =>
      [...pages].some((page) => page.socket === socket)
    )
    return new WatchServer(server, board, address, pages)
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
    closeServer(this.#server)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = urlOf(request)
    if (url === undefined) return sendText(response, 400, 'invalid URL')
    if (!onlyReads(request, response, headers)) return
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

const sendText = (response: ServerResponse, code: number, text: string): void =>
  sendTextWith(response, code, text, headers)

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { ...headers, 'content-type': `${type}; charset=utf-8` }).end(body)
}
