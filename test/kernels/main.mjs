/**
 * Compiles the modules of the kernels. With `--check` it writes none, and ends with code 1 if one is not what its
 * sources give.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { compileKernels, kernelFiles, root } from './compile.mjs'

for (const kernels of kernelFiles) {
  const text = await compileKernels(kernels)
  const file = new URL(kernels.file, root)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (text !== readFileSync(file, 'utf8')) {
    console.error(`${kernels.file} is not what its sources give: run "npm run kernels"`)
    process.exitCode = 1
  }
}
