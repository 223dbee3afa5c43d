/**
 * The classic parameter server for sparse tasks whose workers are also servers: each holds the rows of a range of key
 * hashes, and accesses them without a message.
 */
import * as z from 'zod'
import { keyOptions, KeyServer, rowsAlgorithm } from '@murmuration/rows'

export const classicLocalServer = rowsAlgorithm({
  name: 'classic-local-server',
  title: 'Classic server, fast local access',
  source: 'Renz-Wieland et al., VLDB 2020, the baseline "classic PS with fast local access"',
  options: z.strictObject(keyOptions),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  holders: 'workers',
  open: (setting, send, start) => new KeyServer(setting, send, start)
})
