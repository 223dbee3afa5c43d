/** The kernels in WebAssembly, compiled from their sources in AssemblyScript. */
import { textOf } from '../repository.js'
import asc from 'assemblyscript/asc'

/** A file of TypeScript with modules as text, and the source of each. */
export interface KernelFile {
  readonly file: string
  readonly folder: string
  readonly modules: Readonly<Record<string, { readonly source: string; readonly flags?: readonly string[] }>>
}

const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536']

export const kernelFiles: readonly KernelFile[] = [
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
export async function compileKernels({ folder, modules }: KernelFile): Promise<string> {
  const parts = [`// Made by "npm run kernels" from ${folder}. Change the sources, not this file.\n`]
  for (const [name, { source, flags = [] }] of Object.entries(modules)) {
    const hex = Buffer.from(await compile(folder, source, flags)).toString('hex')
    parts.push(`export const ${name} = \`\n${hex.replace(/.{1,116}/g, '$&\n')}\`\n`)
  }
  return parts.join('\n')
}

async function compile(folder: string, source: string, moduleFlags: readonly string[]): Promise<Uint8Array> {
  let binary: Uint8Array | undefined
  const { error, stderr } = await asc.main([source, '-o', 'out', ...flags, ...moduleFlags], {
    readFile: (name) => readSource(folder, name),
    writeFile: (_, contents) => void (binary = contents as Uint8Array),
    listFiles: () => []
  })
  if (error !== null || binary === undefined) throw new Error(`${folder}/${source}: ${stderr.toString()}`)
  return binary
}

function readSource(folder: string, name: string): string | null {
  try {
    return textOf(`${folder}/${name}`)
  } catch {
    return null
  }
}
