/** The program of the worker that computes: TensorFlow.js is only here. */
import { serveTask } from '@murmuration/tasks/serve'
import { tfjsTaskModule } from '@murmuration/tfjs'

await serveTask({ [tfjsTaskModule]: () => import('@murmuration/tfjs/task') })
