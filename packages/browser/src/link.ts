import { InputError } from '@murmuration/core'
import { decodeInvitation, type Invitation } from '@murmuration/libp2p'

/**
 * The invitation in a link, `http(s)://HOST/#join=murmur1.…`, or in the line alone. Throws an InputError for any other
 * text.
 */
export function invitationIn(link: string): Invitation {
  const text = link.trim()
  const fragment = text.includes('#') ? text.slice(text.indexOf('#') + 1) : ''
  const line = text.startsWith('murmur1.') ? text : new URLSearchParams(fragment).get('join')
  if (line === null) throw new InputError('This link has no invitation: it must be whole, from http to its end.')
  return decodeInvitation(line)
}
