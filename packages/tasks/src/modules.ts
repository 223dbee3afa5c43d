/** The names of the modules that build tasks in worker threads; load-task.ts loads them. */
export const knowledgeGraphModule = 'knowledge-graph-task'
export const logisticTaskModule = 'logistic-task'
export const matrixFactorisationModule = 'matrix-factorisation-task'
export const quadraticTaskModule = 'quadratic-task'
export const softmaxTaskModule = 'softmax-task'
export const svmTaskModule = 'svm-task'
export const wordVectorsModule = 'word-vectors-task'
