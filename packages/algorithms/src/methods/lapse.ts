/**
 * A parameter server with dynamic parameter allocation: each peer holds rows, and has rows moved to itself before it
 * uses them. See packages/rows/src/relocating-key-server.ts for the protocol.
 */
import * as z from 'zod'
import { movingKeyOptions, RelocatingKeyServer, rowsAlgorithm } from '@murmuration/rows'

export const lapse = rowsAlgorithm({
  name: 'lapse',
  title: 'Lapse',
  source: 'Renz-Wieland et al., VLDB 2020',
  options: z.strictObject(movingKeyOptions),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  holders: 'workers',
  open: (setting, send, start) => new RelocatingKeyServer(setting, send, start)
})
