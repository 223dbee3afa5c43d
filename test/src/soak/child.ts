/** One peer of the soak, in a process of its own. It ends by itself when it has closed its peer. */
import { messageOf } from '@murmuration/core'
import type { SoakTask, FromSoakPeer, ToSoakPeer } from './messages.js'
import { SoakPeer } from './soak-peer.js'

const tell = (message: FromSoakPeer) => void process.send?.(message, () => {})

/** A failed peer stays, so that it can report its status, until the soak ends it. */
const watch = (work: Promise<void>) => {
  work.catch((error: unknown) => tell({ kind: 'failed', reason: messageOf(error) }))
}

async function serve(): Promise<void> {
  const peer = await SoakPeer.start(JSON.parse(process.argv[2]) as SoakTask, tell)
  process.on('message', (message: ToSoakPeer) => {
    if (message.kind === 'connect') watch(peer.run(message.peerList))
    if (message.kind === 'grant') peer.grant(message.rounds)
    if (message.kind === 'tell') tell({ kind: 'standing', text: peer.standing() })
    if (message.kind === 'close') watch(close(peer))
  })
}

/** Closes the peer; afterwards nothing may keep the process alive. */
async function close(peer: SoakPeer): Promise<void> {
  const report = await peer.close()
  process.off('disconnect', orphaned)
  process.send?.({ kind: 'closed', report } satisfies FromSoakPeer, () => process.disconnect())
}

/** Without the soak nothing would end this process. */
function orphaned(): void {
  process.exit(1)
}

process.on('disconnect', orphaned)
watch(serve())
