import { ownVersions } from '@murmuration/libp2p'
import { version } from '#platform'

/** The version of the software, and of the wire: peers of one run have the same wire. */
export const versions = { version, wire: ownVersions.wire }
