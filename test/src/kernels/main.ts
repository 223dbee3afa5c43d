/** Regenerates the modules of the kernels. */
import { writeFileSync } from 'node:fs'
import { root } from '../repository.js'
import { compileKernels, kernelFiles } from './compile.js'

for (const kernels of kernelFiles) writeFileSync(root + kernels.file, await compileKernels(kernels))
