/** A model in three stages, and lines of peers that train it. */
import { type PeerName, peerName, type Task } from '@murmuration/core'
import { createTfjsTask } from '@murmuration/tfjs'

export const stageCount = 3

/** p0, p1, p2 are the first line, and so on. */
export const namesOf = (lines: number) =>
  Array.from({ length: stageCount * lines }, (_, k): PeerName => peerName(`p${k}`))

const built = new Map<string, Promise<Task>>()

/** The task of a line's peers: 784-6-5-10, each line with its part of the data. */
export function taskOf(lines: number, line: number): Promise<Task> {
  const key = `${line} of ${lines}`
  const task = built.get(key) ?? buildTask(lines, line)
  built.set(key, task)
  return task
}

function buildTask(lines: number, line: number): Promise<Task> {
  const peers = Array.from({ length: lines }, (_, k) => `line ${k}`)
  const data = { kind: 'digits', samples: 120 } as const
  const localData = {
    data,
    testFraction: 0.2,
    partition: { kind: 'equal' },
    peers,
    self: peers[line],
    seed: 5
  } as const
  return createTfjsTask({ localData, model: { kind: 'mlp', hidden: [6, 5] } })
}
