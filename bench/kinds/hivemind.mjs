/** The averaging of hivemind: an all-reduce of two peers over go-libp2p. */
import { openPython } from './python.mjs'

/** What a Python with hivemind can do. */
export const statement = 'import hivemind'

export const open = (link) => openPython(link, 'hivemind-averaging', statement, [])
