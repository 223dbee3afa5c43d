import { ownSoftware } from '#platform/base/machine.js'
import { protocolVersion } from './constants.js'
import type { Mismatch } from './run-settings.js'

/** The versions of a peer. */
export interface Versions {
  /** Of its software; `undefined` if it does not say. */
  readonly software: string | undefined
  /** Of its messages. Only peers of one wire can exchange anything. */
  readonly wire: number
}

/** The versions of this process. */
export const ownVersions: Versions = { software: ownSoftware, wire: protocolVersion }

/** Why peers of two wires cannot exchange anything, and what to install where. */
export function versionMismatch(theirs: Versions, ours = ownVersions): Mismatch {
  const [newer, where] = theirs.wire > ours.wire ? [theirs, 'here'] : [ours, 'there']
  const what = theirs.software === ours.software || newer.software === undefined ? 'the same version' : newer.software
  const reason =
    `the versions differ: it runs ${textOf(theirs)}, and this peer ${textOf(ours)}; ` +
    `all peers of a run need the same wire: install ${what} of Murmuration ${where}`
  return { code: 'version', reason }
}

function textOf({ software = 'an unknown version', wire }: Versions): string {
  return `${software} (wire ${wire})`
}
