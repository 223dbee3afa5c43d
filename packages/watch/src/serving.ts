/** What the two servers of pages share. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { InputError, messageOf } from '@murmuration/core'

/** The most connections. Beyond, the oldest that is not kept is closed: answers take milliseconds. */
const maxSockets = 64

/** Listens, without keeping the process alive; rejects with an InputError that names `option` when it cannot. */
export async function listen(
  { host, port }: { readonly host: string; readonly port: number },
  option: string,
  isKept: (socket: Socket) => boolean = () => false
): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 5000 })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
  } catch (error) {
    throw new InputError(
      `${option}: cannot listen on ${host}:${port}: ${messageOf(error)}; give another port, or 0 for any`
    )
  }
  server.on('error', () => {})
  server.unref()
  limitSockets(server, isKept)
  return server
}

/** Counts connections. Node would refuse the newest when there are too many, so that idle ones keep others out. */
function limitSockets(server: Server, isKept: (socket: Socket) => boolean): void {
  // In order of arrival.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (sockets.size <= maxSockets) return
    const oldest = [...sockets].find((each) => !isKept(each))
    if (oldest === undefined) return
    sockets.delete(oldest)
    oldest.destroy()
  })
}

/** Takes no more connections, and ends those that exist. */
export function closeServer(server: Server): void {
  server.close()
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 500).unref()
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** A host as URLs write it. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Whether a request only reads; answered if not. */
export function onlyReads({ method }: IncomingMessage, response: ServerResponse, headers: Headers): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  sendText(response, 405, 'only GET and HEAD are supported', { ...headers, allow: 'GET, HEAD' })
  return false
}

type Headers = Readonly<Record<string, string>>

export function sendText(response: ServerResponse, code: number, text: string, headers: Headers): void {
  response.writeHead(code, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
