/**
 * An adaptive parameter server: workers announce in advance which rows they are about to use. A row that one peer uses
 * moves there; a row that several peers use is copied to them meanwhile. See packages/rows/src/intent-key-server.ts for
 * the protocol, and how it differs from the paper.
 */
import * as z from 'zod'
import { IntentKeyServer, movingKeyOptions, rowsAlgorithm } from '@murmuration/rows'

const options = z.strictObject({
  ...movingKeyOptions,
  every: z.int().min(1).max(1e6).default(16).meta({
    description: 'After how many batches of its workers a peer refreshes its copies'
  })
})

export const adaPm = rowsAlgorithm({
  name: 'adapm',
  title: 'AdaPM',
  source: 'Renz-Wieland et al., CIKM 2023, arXiv 2206.00470; replication: NuPS, SIGMOD 2022, arXiv 2104.00501',
  options,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'nothing',
  holders: 'workers',
  open: (setting, send, start, given) => new IntentKeyServer(setting, send, start, options.parse(given))
})
