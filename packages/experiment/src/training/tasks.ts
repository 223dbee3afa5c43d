/** One line per kind of task. Files, commands, documents and tests go through this list. */
import { logisticRecord, quadraticRecord, softmaxRecord, type TaskRecord } from '@murmuration/tasks'
import { cnnRecord, mlpRecord } from '@murmuration/tfjs'

/** All kinds of tasks. */
export const tasks: readonly TaskRecord[] = [mlpRecord, cnnRecord, softmaxRecord, logisticRecord, quadraticRecord]
