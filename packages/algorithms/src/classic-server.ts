/**
 * The classic parameter server for sparse tasks: servers hold the rows, by the range of their keys' hashes, and rows do not move. Each pull and each
 * push is a request and a reply, even to a server on the same machine.
 */
import { z } from 'zod'
import { KeyServer } from './keys/key-server.js'
import { keyOptions } from './keys/record.js'
import { algorithm } from './record.js'

export const classicServer = algorithm({
  name: 'classic-server',
  title: 'Classic server',
  source: 'Li et al., OSDI 2014 (PS-Lite), for keyed rows',
  options: z.strictObject(keyOptions),
  needs: { reach: 'everyone', servers: 1, delivery: 'reliable' },
  keeps: 'nothing',
  channels: {},
  start: () => ({}),
  server: { start: () => ({}) },
  keys: { holders: 'servers', open: (setting, send, start) => new KeyServer(setting, send, start) }
})
