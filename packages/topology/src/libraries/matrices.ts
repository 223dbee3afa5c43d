/** What this package uses of its library of matrices. The build bundles it: see bundle-libraries.mjs. */
export { EigenvalueDecomposition, Matrix } from 'ml-matrix'
