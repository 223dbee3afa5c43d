/** Checks that need only this machine. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '@murmuration/core'
import { type BackendSpeed, measureBackend } from '@murmuration/tfjs'
import { bytesText, type DoctorFinding } from './finding.js'

/** With less free space than this, the results and checkpoints of a large model would not fit. */
const minFree = 1e9

/** Neighbours suspect a peer after 2 s of silence; half of that is too close. */
const maxDelay = 1000
/** Waits such as this slow down rounds that take milliseconds. */
const noticeableDelay = 100

/** The versions of Node.js that the packages name in `engines`. */
export function nodeFinding(version: string): DoctorFinding {
  const [major, minor] = version.split('.').map(Number)
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24
  const found = `Node.js ${version}`
  if (isSupported) return { check: 'node', level: 'ok', found }
  const fix = 'install 20.19 or a later 20, 22.12 or a later 22, or 24 or later: https://nodejs.org'
  return { check: 'node', level: 'wrong', found: `${found} is too old, or a version that is not supported`, fix }
}

/** Whether files can be written in a folder, and how much space is free. */
export async function diskFinding(
  folder: string,
  freeIn: (folder: string) => Promise<number> = freeBytes
): Promise<DoctorFinding> {
  const check = 'disk'
  try {
    const free = await freeIn(folder)
    const draft = await mkdtemp(join(folder, '.murmur-doctor-'))
    try {
      await writeFile(join(draft, 'file'), Buffer.alloc(4096))
    } finally {
      await rm(draft, { recursive: true })
    }
    const found = `${folder} has ${bytesText(free)} free`
    if (free >= minFree) return { check, level: 'ok', found }
    return { check, level: 'wrong', found, fix: 'free some space, or name another folder with --out and --checkpoint' }
  } catch (error) {
    const fix = 'free some space there, or get the permission to write'
    return { check, level: 'wrong', found: `cannot write to ${folder}: ${messageOf(error)}`, fix }
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** The longest delay of this process's event loop during `time`. */
export async function eventLoopFinding(time = 500): Promise<DoctorFinding> {
  const check = 'event loop'
  const histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  await setTimeout(time)
  histogram.disable()
  const delay = Math.max(0, Math.round(histogram.max / 1e6))
  const found = `this process was blocked for at most ${delay} ms`
  if (delay < noticeableDelay) return { check, level: 'ok', found }
  const fix =
    'something blocks the process, or the machine is overloaded: end other programs, run fewer peers here, and compute in the task’s own thread'
  return { check, level: delay >= maxDelay ? 'wrong' : 'note', found, fix }
}

/** Which backend computes, how fast, and what is missing for a GPU. */
export async function backendFindings(
  measure: () => Promise<BackendSpeed> = measureBackend,
  hasGpu = existsSync('/dev/nvidia0') || existsSync('/dev/dxg')
): Promise<readonly DoctorFinding[]> {
  try {
    const { name, reason, gigaflops } = await measure()
    const speed = `${name}: ${gigaflops.toPrecision(2)} GFLOP/s in a product of 256 × 256 matrices`
    return [{ check: 'backend', level: 'ok', found: `${speed} (${reason})` }, gpuFinding(name, reason, hasGpu)]
  } catch (error) {
    const fix = 'reinstall the packages: npm ci'
    return [{ check: 'backend', level: 'wrong', found: messageOf(error), fix }]
  }
}

function gpuFinding(name: string, reason: string, hasGpu: boolean): DoctorFinding {
  const check = 'gpu'
  const isUsed = name === 'tensorflow' && /^tfjs-node-gpu is installed/.test(reason)
  if (isUsed) return { check, level: 'ok', found: 'tfjs-node-gpu computes' }
  if (!hasGpu) return { check, level: 'note', found: 'found no NVIDIA GPU; none is needed' }
  const [cause = reason] = /tfjs-node-gpu[^,]*/.exec(reason) ?? []
  const fix =
    'run "npm install @tensorflow/tfjs-node-gpu", and install CUDA and cuDNN in the versions that its page names; "nvidia-smi" shows whether the driver works'
  return { check, level: 'wrong', found: `found an NVIDIA GPU that cannot be used: ${cause}`, fix }
}
