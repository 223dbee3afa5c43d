/** The address of the page, and the access to it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { InputError } from '@murmuration/core'

export interface WatchAddress {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The token that requests need when the page is not on localhost; random when absent. */
  readonly token?: string | undefined
}

const loopback = ['localhost', '127.0.0.1', '::1', '[::1]']

/** Whether only this machine can reach the address. */
export const isLocal = ({ host }: WatchAddress): boolean => loopback.includes(host)

const expected = 'expected a port such as 8080, or an address and a port such as 0.0.0.0:8080'

/** Reads `8080`, `0.0.0.0:8080` or `[::]:8080`. Throws an InputError for anything else. */
export function watchAddress(text: string, token?: string): WatchAddress {
  const [, host = '127.0.0.1', digits] = /^(?:(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (!(port <= 65_535)) throw new InputError(`--watch: found "${text}", ${expected}`)
  if (token !== undefined && !/^[\w.~-]{16,256}$/.test(token))
    throw new InputError(
      'MURMURATION_WATCH_TOKEN: expected 16 to 256 letters, digits and "-_.~", such as the output of "openssl rand -hex 16"'
    )
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port, token }
}

/** A random token of 128 bits. */
export const newToken = (): string => randomBytes(16).toString('base64url')

/** Whether a request carries the token, in its URL or as `Authorization: Bearer`. */
export function hasToken(request: IncomingMessage, url: URL, token: string): boolean {
  const [, bearer] = /^Bearer +(\S+)$/.exec(request.headers.authorization ?? '') ?? []
  const sent = bearer ?? url.searchParams.get('token') ?? ''
  return timingSafeEqual(digest(sent), digest(token))
}

/**
 * Whether the Host header is a loopback name. It is not when the name of another site resolves to this machine (DNS
 * rebinding).
 */
export function namesThisMachine({ headers: { host = '' } }: IncomingMessage): boolean {
  return loopback.includes(host.replace(/:\d+$/, ''))
}

const digest = (text: string) => createHash('sha256').update(text).digest()
