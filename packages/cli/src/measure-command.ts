import type { PeerName } from '@murmuration/core'
import { type MeasuredLink, measureLinks } from '@murmuration/experiment/measuring'
import { bitRateText, linksText } from '@murmuration/files'
import { replaceFile } from '@murmuration/results'
import { lineOf } from './output/texts.js'
import { discoveryOf, type PeerFlags, relayOf } from './run-flags.js'
import { fileOrSample } from './samples.js'

/** The options of `murmur measure`, in addition to those of `murmur peer`. */
export interface MeasureFlags extends PeerFlags {
  readonly save?: string
}

/** Measures the links from this machine's peer, and prints or writes them as a links file. */
export async function runMeasure(
  topology: string,
  { save, ...flags }: MeasureFlags,
  print: (text: string) => void,
  signal: AbortSignal
): Promise<void> {
  const note = (text: string) => void process.stderr.write(`${text}\n`)
  const { as } = flags
  const missing: PeerName[] = []
  const links = await measureLinks(fileOrSample(topology, 'topologies'), {
    as,
    key: flags.key,
    listen: flags.listen,
    wait: flags.wait,
    upnp: flags.upnp,
    signal,
    discovery: discoveryOf(flags),
    relay: relayOf(flags),
    emit: (event) => note(lineOf(event)),
    onLink: (link) => {
      if (link.rate === undefined) missing.push(link.to)
      note(`${as} to ${link.to}: ${textOf(link)}`)
    }
  })
  const comment = `Links from ${as}, measured by "murmur measure"${missing.length === 0 ? '' : `; not measured: ${missing.join(', ')}`}`
  const text = linksText(links, comment)
  if (save === undefined) print(text.trimEnd())
  else await replaceFile(save, [text])
}

const textOf = ({ rate, roundTrip }: Partial<MeasuredLink>) =>
  rate === undefined || roundTrip === undefined
    ? 'not measured: the peer did not answer in time'
    : `${bitRateText(rate)}, round trip ${roundTrip.toFixed(1)} ms`
