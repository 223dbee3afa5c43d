/** The program of the worker that computes: TensorFlow.js is only here. */
import { serveTask } from '@murmuration/tasks/serve'
import { tfjsTaskModule } from '@murmuration/tfjs'

// Not awaited here: bundlers make classic scripts of workers unless they are configured otherwise.
void serveTask({ [tfjsTaskModule]: () => import('@murmuration/tfjs/task') })
