/** The programs of this package's workers. Bundlers find them because they are written so. */

/** Computes a task. */
export const taskProgram = () => new Worker(new URL('./task-worker.js', import.meta.url), { type: 'module' })

/** Predicts with a model. */
export const predictProgram = () => new Worker(new URL('./predict-worker.js', import.meta.url), { type: 'module' })
