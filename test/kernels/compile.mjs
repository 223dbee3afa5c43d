/** The kernels in WebAssembly, compiled from their sources in AssemblyScript. */
import { readFileSync } from 'node:fs'
import asc from 'assemblyscript/asc'

/** The repository's root folder. */
export const root = new URL('../../', import.meta.url)

const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536']

/** Files of TypeScript with modules as text, and the source of each. */
export const kernelFiles = [
  {
    file: 'packages/vectors/src/wasm/modules.ts',
    folder: 'packages/vectors/assembly',
    modules: {
      vectors: { source: 'vectors.ts' },
      sharedVectors: { source: 'vectors.ts', flags: shared },
      codecs: { source: 'codecs.ts' }
    }
  },
  {
    file: 'packages/tasks/src/wasm/modules.ts',
    folder: 'packages/tasks/assembly',
    modules: { models: { source: 'models.ts' } }
  },
  {
    file: 'packages/tfjs/src/wasm/modules.ts',
    folder: 'packages/tfjs/assembly',
    modules: { products: { source: 'products.ts' } }
  }
]

/** No runtime, no checks, no memory of its own: only the functions as written. */
const flags = [
  '--runtime',
  'stub',
  '-O3',
  '--noAssert',
  '--uncheckedBehavior',
  'always',
  '--importMemory',
  '--enable',
  'simd'
]

/** The text of the file, compiled from its sources. Throws the compiler's message when it refuses one. */
export async function compileKernels({ folder, modules }) {
  const parts = [`// Made by "npm run kernels" from ${folder}. Change the sources, not this file.\n`]
  for (const [name, { source, flags = [] }] of Object.entries(modules)) {
    const hex = Buffer.from(await compile(folder, source, flags)).toString('hex')
    parts.push(`export const ${name} = \`\n${hex.replace(/.{1,116}/g, '$&\n')}\`\n`)
  }
  return parts.join('\n')
}

async function compile(folder, source, moduleFlags) {
  let binary
  const { error, stderr } = await asc.main([source, '-o', 'out', ...flags, ...moduleFlags], {
    readFile: (name) => readSource(folder, name),
    writeFile: (_, contents) => void (binary = contents),
    listFiles: () => []
  })
  if (error !== null || binary === undefined) throw new Error(`${folder}/${source}: ${stderr.toString()}`)
  return binary
}

function readSource(folder, name) {
  try {
    return readFileSync(new URL(`${folder}/${name}`, root), 'utf8')
  } catch {
    return null
  }
}
