/** The program of the worker that computes: TensorFlow.js is only here. */
import { serveTask } from '@murmuration/tasks/serve'
import { tfjsTaskModule } from '@murmuration/tfjs'
import { loadTfjsTask } from './tfjs-task.js'

// Not awaited: bundlers may make a script of it, which cannot wait.
void serveTask({ [tfjsTaskModule]: loadTfjsTask })
