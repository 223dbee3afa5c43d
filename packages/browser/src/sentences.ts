/** Errors as the sentences that a person reads. */
import { messageOf, StoppedError } from '@murmuration/core'
import { failureKindOf } from '@murmuration/experiment/peer'

/** What refusals begin with that are of no use to a person. */
const beginnings = [/^the run does not admit this peer: /, /^.*it does not admit this peer: /]

/** One sentence for an error, with a full stop. */
export function sentenceOf(error: unknown): string {
  switch (failureKindOf(error)) {
    case 'neighboursMissing':
      return `No peer of the run answers: it may be over, or its machines may be off (${messageOf(error)}).`
    case 'refused':
      return asSentence(beginnings.reduce((text, beginning) => text.replace(beginning, ''), messageOf(error)))
    case 'interrupted':
      return 'This tab has left the run.'
    default:
      return asSentence(messageOf(error))
  }
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** Throws an Error that says which part of the browser is missing, if one is. */
export function checkBrowser(scope: Readonly<Record<string, unknown>> = globalThis): void {
  const needed = {
    RTCPeerConnection: 'WebRTC, over which it would reach the peers',
    Worker: 'workers, in which it would compute',
    WebAssembly: 'WebAssembly, with which it would compute',
    indexedDB: 'a database (IndexedDB), in which it would keep its key'
  }
  for (const [name, what] of Object.entries(needed))
    if (scope[name] === undefined)
      throw new Error(`This browser lacks ${what}: use a current Chromium, Firefox or Safari.`)
}

/** Whether a run ended because its person wanted it so. */
export function isLeaving(error: unknown): boolean {
  return error instanceof StoppedError
}
