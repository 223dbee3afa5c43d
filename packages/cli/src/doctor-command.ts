import type { PeerName } from '@murmuration/core'
import { InputError } from '@murmuration/core'
import { examine, type DoctorFinding } from '@murmuration/experiment/doctor'
import chalk from 'chalk'
import { exitCodes } from './exit-codes.js'
import { fileOrSample } from './samples.js'

/** The options of `murmur doctor`. */
export interface DoctorFlags {
  readonly as?: PeerName
  readonly key?: string
  readonly seed: readonly string[]
  readonly via: readonly string[]
  readonly upnp?: boolean
  readonly out?: string
  readonly timeServer?: string
  readonly json?: boolean
}

const marks = {
  ok: chalk.green('ok     '),
  note: chalk.yellow('note   '),
  unknown: chalk.dim('unknown'),
  wrong: chalk.red('wrong  ')
}

/** Prints each finding at once. Returns the exit code. */
export async function runDoctor(
  topology: string | undefined,
  { as, key, seed: seeds, via: relays, upnp = false, out = '.', timeServer = 'pool.ntp.org', json }: DoctorFlags,
  print: (text: string) => void
): Promise<number> {
  if ((topology === undefined) !== (as === undefined))
    throw new InputError('expected a topology file with --as NAME, or neither')
  const isOk = await examine({
    ...(topology === undefined ? {} : { topology: fileOrSample(topology, 'topologies') }),
    as,
    key,
    seeds,
    relays,
    upnp,
    folder: out,
    timeServer: timeServerOf(timeServer),
    emit: (finding) => print(json ? jsonOf(finding) : textOf(finding))
  })
  return isOk ? exitCodes.success.code : exitCodes.doctor.code
}

/** Programs know the fix by the name `mend`. */
function jsonOf({ fix, ...finding }: DoctorFinding): string {
  return JSON.stringify({ kind: 'finding', ...finding, ...(fix === undefined ? {} : { mend: fix }) })
}

function textOf({ check, level, found, fix }: DoctorFinding): string {
  return `${marks[level]} ${chalk.bold(check)}: ${found}${fix === undefined ? '' : `\n        ${fix}`}`
}

function timeServerOf(text: string) {
  const [, host, digits = '123'] = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = Number(digits)
  if (host === undefined || port === 0 || port > 65_535)
    throw new InputError(`--time-server: found "${text}", expected a host such as pool.ntp.org, or HOST:PORT`)
  return { host, port }
}
