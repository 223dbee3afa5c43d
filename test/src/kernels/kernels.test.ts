import test from 'ava'
import { textOf } from '../repository.js'
import { compileKernels, kernelFiles } from './compile.js'

for (const kernels of kernelFiles) {
  test(`${kernels.file} is what its sources give: else run "npm run kernels"`, async (t) => {
    t.timeout(600_000, 'a busy machine takes long to compile')
    t.is(await compileKernels(kernels), textOf(kernels.file))
  })
}
