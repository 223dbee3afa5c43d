/**
 * The classic parameter server for sparse tasks: servers hold the rows, which do not move. They are divided by the
 * hashes of their keys. Each pull and each push is a request and a reply, even to a server on the same machine.
 */
import * as z from 'zod'
import { keyOptions, KeyServer, rowsAlgorithm } from '@murmuration/rows'

export const classicServer = rowsAlgorithm({
  name: 'classic-server',
  title: 'Classic server',
  source: 'Li et al., OSDI 2014 (PS-Lite), for keyed rows',
  options: z.strictObject(keyOptions),
  needs: { reach: 'everyone', servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  holders: 'servers',
  open: (setting, send, start) => new KeyServer(setting, send, start)
})
