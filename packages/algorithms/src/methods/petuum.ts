/**
 * Bounded staleness for sparse tasks: a peer keeps copies of the rows that it reads, at most `staleness` ticks of the
 * workers' clocks old. See packages/rows/src/stale-key-server.ts for the protocol and the source of each rule.
 */
import * as z from 'zod'
import { clockedKeyOptions, StaleKeyServer, rowsAlgorithm } from '@murmuration/rows'

const options = z.strictObject({
  ...clockedKeyOptions,
  staleness: z.int().min(0).max(1000).default(1).meta({
    description: 'How many ticks of the clock a worker may be ahead of the rows that it reads'
  }),
  synchronisation: z.enum(['client', 'server']).default('server').meta({
    description:
      'client: a peer asks for newer rows when it needs them. server: changed rows are sent again when all have ticked'
  })
})

export const petuum = rowsAlgorithm({
  name: 'petuum',
  title: 'Petuum',
  source: 'Ho et al., NIPS 2013; Dai et al., AAAI 2015, arXiv 1410.8043',
  options,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  holders: 'workers',
  open: (setting, send, start, given) => new StaleKeyServer(setting, send, start, options.parse(given))
})
