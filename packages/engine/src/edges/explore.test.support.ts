/** Explores every state that a model can reach, or walks through it at random. */
import { createHash } from 'node:crypto'
import type { Random } from '@murmuration/core'

/** A possible next step, in words, and the state after it. A fault need not happen. */
export interface Move<State> {
  readonly label: string
  readonly isFault: boolean
  readonly next: State
}

export interface Model<State> {
  readonly start: State
  moves(state: State): readonly Move<State>[]
  keyOf(state: State): string
  /** What is wrong with a state, in words. At an end only faults can happen. */
  problemOf(state: State, isEnd: boolean): string | undefined
}

export interface Explored {
  readonly states: number
  /** What is wrong, and the steps to it. */
  readonly problem: { readonly text: string; readonly steps: readonly string[] } | undefined
}

interface Step {
  readonly label: string
  readonly before: Step | undefined
}

/** Visits each state once; finds a shortest path to a problem when `isShortest`. */
export function explore<State>(model: Model<State>, isShortest = false): Explored {
  const seen = new Set<string>([hashOf(model.keyOf(model.start))])
  const open: { readonly state: State; readonly step: Step | undefined }[] = [{ state: model.start, step: undefined }]
  for (let place = 0; place < open.length;) {
    const { state, step } = (isShortest ? open[place++] : open.pop()) as (typeof open)[number]
    const moves = model.moves(state)
    const text = model.problemOf(state, isEnd(moves))
    if (text !== undefined) return { states: seen.size, problem: { text, steps: stepsTo(step) } }
    for (const { label, next } of moves) {
      const key = hashOf(model.keyOf(next))
      if (seen.has(key)) continue
      seen.add(key)
      open.push({ state: next, step: { label, before: step } })
    }
  }
  return { states: seen.size, problem: undefined }
}

/** This many random walks, for models with too many states. */
export function walk<State>(model: Model<State>, walks: number, random: Random): Explored {
  let states = 0
  for (let k = 0; k < walks; k++) {
    const steps: string[] = []
    for (let state = model.start; ; states++) {
      const moves = model.moves(state)
      const text = model.problemOf(state, isEnd(moves))
      if (text !== undefined) return { states, problem: { text, steps } }
      if (isEnd(moves)) break
      const { label, next } = moves[random.integer(moves.length)]
      steps.push(label)
      state = next
    }
  }
  return { states, problem: undefined }
}

function isEnd(moves: readonly Move<unknown>[]): boolean {
  return moves.every(({ isFault }) => isFault)
}

function stepsTo(last: Step | undefined): readonly string[] {
  const steps: string[] = []
  for (let step = last; step !== undefined; step = step.before) steps.unshift(step.label)
  return steps
}

function hashOf(key: string): string {
  return createHash('sha1').update(key).digest('base64')
}
