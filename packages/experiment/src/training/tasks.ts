import { type TaskRecord, taskRecords } from '@murmuration/tasks/peer'
import { cnnRecord, gptRecord, mlpRecord } from '@murmuration/tfjs'

/** All kinds of tasks. */
export const tasks: readonly TaskRecord[] = [mlpRecord, cnnRecord, gptRecord, ...taskRecords]
