/** One line per kind of task without TensorFlow.js. Files, commands, documents and tests go through this list. */
import { knowledgeGraphRecord } from './knowledge-graph-record.js'
import { logisticRecord } from './logistic-record.js'
import { matrixFactorisationRecord } from './matrix-factorisation-record.js'
import { quadraticRecord } from './quadratic-record.js'
import type { TaskRecord } from './record.js'
import { softmaxRecord } from './softmax-record.js'
import { svmRecord } from './svm-record.js'
import { wordVectorsRecord } from './word-vectors-record.js'

/** The kinds of tasks of this package. */
export const taskRecords: readonly TaskRecord[] = [
  softmaxRecord,
  logisticRecord,
  svmRecord,
  quadraticRecord,
  matrixFactorisationRecord,
  knowledgeGraphRecord,
  wordVectorsRecord
]
