import type { Prediction } from './run.js'

export async function predictWith(_model: Blob, _file: Blob, _name: string): Promise<Prediction> {
  throw new Error('wip')
}
