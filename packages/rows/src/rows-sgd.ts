/** SGD on keyed rows: what each worker does, whichever peer holds the rows. */
import { DivergedError, type Fabric, type TaskRows } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import type { Keys } from './keys.js'
import { areBelow, maxStep } from './messages.js'
import { finished, type Operation } from './operation.js'

/** What a worker sees. */
export interface KeyNode {
  readonly fabric: Fabric<VectorMessage>
  readonly keys: Keys
  readonly rows: TaskRows
  readonly round: number
  /** The learning rate of the round. */
  readonly rate: number
  /** How many batches in advance a worker announces which rows it uses; 0 where no server uses it. */
  readonly ahead: number
  /** How many batches lie between two ticks of the worker's clock. */
  readonly tick: number
}

/**
 * One step per batch: pulls the rows that it touches, computes the gradient, and pushes −γ times it. Each push is
 * awaited before the next one. Returns the sum of the batches' losses, each times its samples.
 *
 * @throws DivergedError when a loss or a gradient is not finite, or a step of {@link maxStep}; it is not sent
 */
export async function rowsSgd(node: KeyNode, batches: readonly Uint32Array[]): Promise<number> {
  const { fabric, keys, rows, round, rate, ahead, tick } = node
  const touched = (index: number) => (index < batches.length ? rows.keysOf(batches[index], round) : new Uint32Array(0))
  let pushed: Operation = finished
  let loss = 0
  const intend = (index: number) => keys.intend(touched(index), Math.floor(index / tick) + 1)
  if (ahead > 0) for (let i = 0; i < ahead; i++) intend(i)
  for (const [index, batch] of batches.entries()) {
    if (ahead > 0) intend(index + ahead)
    const touchedKeys = touched(index)
    const x = new Float32Array(touchedKeys.length * rows.width)
    const g = new Float32Array(x.length)
    await keys.pull(touchedKeys, x)
    const mean = await fabric.work(rows.gradient(x, touchedKeys, batch, g, round))
    if (!Number.isFinite(mean)) throw diverged(node, `the loss is ${mean}`)
    loss += mean * batch.length
    for (let i = 0; i < g.length; i++) g[i] *= -rate
    if (!areBelow(g, maxStep)) {
      const found = allFinite(g) ? `a step is as large as ${maxStep}` : 'a gradient is not finite'
      throw diverged(node, found)
    }
    await keys.wait(pushed)
    pushed = keys.pushAsync(touchedKeys, g)
    if ((index + 1) % tick === 0) await keys.tick()
  }
  await keys.wait(pushed)
  keys.end()
  return loss
}

function diverged({ rate, keys }: KeyNode, found: string): DivergedError {
  return new DivergedError(`training diverged: ${found} at a learning rate of ${rate}; lower the rate${keys.suspected}`)
}

/** Samples in batches, dealt out to the workers in turn. */
export function dealtOut(samples: readonly number[], workers: number, batch: number): readonly Uint32Array[][] {
  const dealt: Uint32Array[][] = Array.from({ length: workers }, () => [])
  for (let start = 0, turn = 0; start < samples.length; start += batch, turn++)
    dealt[turn % workers].push(Uint32Array.from(samples.slice(start, start + batch)))
  return dealt
}
