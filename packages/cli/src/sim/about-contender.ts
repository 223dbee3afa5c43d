import type { Contender } from './scenario.js'

/** A sentence or two on how a contender works here, and whose idea it is. */
export function aboutContender(contender: Contender): string {
  return `${howOf(contender)}${formOf(contender)}`
}

function howOf(contender: Contender): string {
  switch (contender.algorithm) {
    case 'dpsgd':
      return contender.order === 'combine-then-adapt'
        ? `Gossip: every peer sends its parameters to its neighbours, averages with theirs, and steps along a gradient that it computes ${contender.overlap ? 'meanwhile' : 'before that'} (Lian et al. 2017, Algorithm 1).`
        : 'Gossip: every peer takes a gradient step, sends the result to its neighbours, and averages with theirs (Lian et al. 2017, averaging after the step).'
    case 'parameter-server':
      return `Synchronous parameter server${placed(contender)} (Li et al. 2014). ${
        contender.calls === 'streamed'
          ? `Gradients and parameters stream in ${contender.pieces} pieces, so that both directions of a line are busy.`
          : 'Every push is acknowledged and every pull asked for, one after the other: four one-way latencies for each.'
      }`
    case 'async-parameter-server':
      return `Parameter server without a barrier${placed(contender)}: each gradient is a step as it comes (Dean et al. 2012).`
    case 'stale-synchronous':
      return `Parameter server with bounded staleness${placed(contender)}: nobody is more than ${contender.staleness} steps ahead of the slowest (Ho et al. 2013).`
    case 'all-reduce':
      return `Synchronous SGD, the gradients averaged by ${collectives[contender.collective]}.`
    case 'local-sgd':
      return `Local SGD: ${contender.period} steps on one's own, then the mean of the parameters by ${collectives[contender.collective]} (Stich 2019).`
    case 'sgd':
      return 'Plain SGD on one machine with all the data and the batches of all peers, and no messages: the floor.'
  }
}

const collectives = {
  'ring': 'a chunk-pipelined ring all-reduce (Patarasuk & Yuan 2009)',
  'halving-doubling': 'halving and doubling (Bruck et al. 1997; Thakur et al. 2005)',
  'direct': 'direct exchange, everybody with everybody in two hops'
} as const

function placed({ servers, on }: { readonly servers?: number | undefined; readonly on: string }): string {
  const count = servers ?? 1
  if (on === 'workers') return ', a shard on every worker’s machine'
  const many = count === 1 ? '' : `, ${count} shards`
  return on === 'own' ? `${many}, on machines of their own` : `${many}, on the machine of ${on}`
}

function formOf(contender: Contender): string {
  if (!('fusion' in contender)) return ''
  if (contender.fusion === 'fused') return ' One flat buffer.'
  const isBlocking = 'calls' in contender && contender.calls === 'blocking'
  return isBlocking ? ' Tensor by tensor, each waited for before the next.' : ' Tensor by tensor, all at once.'
}
