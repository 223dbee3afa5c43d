/** Serves the page with which a browser joins the run, to this machine and to the networks in which it is. */
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { closeServer, inUrl, listen, onlyReads, portOf, sendText } from './serving.js'

/** Where the page is served, and what it is. */
export interface JoinPage {
  /** The folder of the page's files. No other file of the disk is served. */
  readonly folder: string
  /** The address to listen on. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The addresses and host names by which browsers may call this machine, besides those of loopback. */
  readonly names: readonly string[]
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm'
}

/**
 * The first line is that of the page itself, which also holds where a host sets no headers. `ws:` names no hosts, since
 * the page calls every peer of the run, also those of which this one has not heard yet.
 */
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' ws:; style-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'" +
  "; frame-ancestors 'none'"

const headers = {
  'content-security-policy': policy,
  // Both together give the page shared memory.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'vary': 'accept-encoding'
}

/** In a folder whose name says what is in it: a browser may keep the file. */
const isNamedByHash = /^[0-9a-f]{16}\//

/** The files of the page, in its folder and in those in it. */
function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) in types && !name.includes('/.') && !name.startsWith('.'))
}

interface ServedFile {
  readonly type: string
  readonly body: Buffer
  readonly zipped: Buffer
  readonly caching: string
}

const loopback = ['127.0.0.1', 'localhost', '::1']

/** Serves the files of a folder, and refuses all else. */
export class JoinServer {
  /** The page's URLs: of this machine first, then by each of the names. */
  readonly urls: readonly string[]
  readonly #server: Server
  readonly #folder: string
  readonly #files: ReadonlySet<string>
  readonly #read = new Map<string, ServedFile>()
  /** The valid values of a request's Host header. */
  readonly #hosts: ReadonlySet<string>

  private constructor(server: Server, { folder, names }: JoinPage) {
    const port = portOf(server)
    const hosts = [...loopback, ...names].map((name) => `${inUrl(name)}:${port}`.toLowerCase())
    this.#server = server
    this.#folder = folder
    this.#files = new Set(filesOf(folder))
    this.#hosts = new Set(port === 80 ? [...hosts, ...hosts.map((host) => host.replace(/:80$/, ''))] : hosts)
    this.urls = [loopback[0], ...names].map((name) => `http://${inUrl(name)}:${port}/`)
    server.on('request', (request, response) => this.#answer(request, response))
  }

  /** Rejects with an InputError when it cannot listen there. */
  static async start(page: JoinPage): Promise<JoinServer> {
    return new JoinServer(await listen(page, '--browsers'), page)
  }

  close(): void {
    closeServer(this.#server)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { host = '', origin } = request.headers
    // Another name that leads to this machine is that of a page that wants to read this one (DNS rebinding).
    if (!this.#hosts.has(host.toLowerCase()))
      return sendText(response, 403, `the Host header must be one of ${[...this.#hosts].join(', ')}`, headers)
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      return sendText(response, 403, 'the page is not for other pages', headers)
    if (!onlyReads(request, response, headers)) return
    const [path] = (request.url ?? '').split('?', 1)
    const file = this.#fileOf(path === '/' ? 'index.html' : path.replace(/^\//, ''))
    if (file === undefined) return sendText(response, 404, 'not found; the page is at /', headers)
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    const encoding = isZipped ? { 'content-encoding': 'gzip' } : {}
    const body = isZipped ? file.zipped : file.body
    response
      .writeHead(200, {
        ...headers,
        ...encoding,
        'content-type': file.type,
        'content-length': body.length,
        'cache-control': file.caching
      })
      .end(request.method === 'HEAD' ? undefined : body)
  }

  #fileOf(name: string): ServedFile | undefined {
    if (!this.#files.has(name)) return undefined
    const known = this.#read.get(name)
    if (known !== undefined) return known
    const body = readFileSync(join(this.#folder, name))
    const caching = isNamedByHash.test(name) ? 'max-age=31536000, immutable' : 'no-cache'
    const file = { type: types[extname(name)], body, zipped: gzipSync(body), caching }
    this.#read.set(name, file)
    return file
  }
}
