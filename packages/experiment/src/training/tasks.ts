import { type TaskRecord, taskRecords } from '@murmuration/tasks'
import { cnnRecord, mlpRecord } from '@murmuration/tfjs'

/** All kinds of tasks. */
export const tasks: readonly TaskRecord[] = [mlpRecord, cnnRecord, ...taskRecords]
