/**
 * A parameter server with dynamic parameter allocation: each peer holds rows, and has rows moved to itself before it uses them. See
 * packages/algorithms/src/keys/relocating-key-server.ts for the protocol.
 */
import { z } from 'zod'
import { RelocatingKeyServer } from './keys/relocating-key-server.js'
import { movingKeyOptions } from './keys/record.js'
import { algorithm } from './record.js'

export const lapse = algorithm({
  name: 'lapse',
  title: 'Lapse',
  source: 'Renz-Wieland et al., VLDB 2020',
  options: z.strictObject(movingKeyOptions),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  channels: {},
  start: () => ({}),
  keys: { holders: 'workers', open: (setting, send, start) => new RelocatingKeyServer(setting, send, start) }
})
