/** What peers share has the same bits in every engine: in this Node, and in Chromium. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { build } from 'esbuild'
import { root } from '../repository.js'
import { executablePath, openedBrowser, skipped } from './browser.js'

/**
 * The hashes of test/engine-bits.mjs, which Node 20, 22 and 24, Chromium 156 and Firefox 153 print. They change where a
 * function or what is computed with it changes: then results of peers of two versions differ.
 */
const expected = {
  'sqrt, of the language': '1d6ba611',
  'float32, of the language': '46fb66ce',
  'squares, of the language': '36d16750',
  'powers of 2, of the language': '15b34080',
  'exp': 'ea6df952',
  'exp near 0': '84d88cc2',
  'expm1': 'cf33620e',
  'expm1 near 0': '3cb40ff2',
  'expOfNegative': 'b05458ee',
  'log': '38dfe4ba',
  'log near 1': 'ec70fa1d',
  'log1p': '4d026cc1',
  'log1p near 0': '919ff1d0',
  'sin': 'ae7e7399',
  'sin far away': '93405e2a',
  'cos': '94ebcaa3',
  'cosOfTurns': '416b5b22',
  'cos far away': 'ae307619',
  'tanh': '365b28e1',
  'tanh near 0': '8cf161b5',
  'pow': '0e4e9b57',
  'pow of 0.999': 'a54ec924',
  'pow of whole numbers': '934ff720',
  'hypot': 'b4e6dc7c',
  'exponentOf': '7d7b71d6',
  'weights of all graphs': '2138141b',
  'weights of random graphs': '97bb3f61',
  'fastest weights': 'bad356ff',
  'spectral gaps': 'a7460252',
  'constants of meetings': '4628543f',
  'cosine rates': 'a6b8a0fb',
  'rates in steps': 'f605db95',
  'split sizes': '72da066d',
  'normal draws': 'c2d9aa99',
  'Dirichlet shares': '7a4b248b',
  'Dirichlet partition': 'a43554a1',
  'drawn digits': '4279c869',
  'gaussians': 'afd9ef73',
  'ratings': 'cb478e08',
  'computing, exponential': '3f9eea3d',
  'computing, log-normal': '66953e71',
  'churn': 'c32d9379',
  'softmax regression': '2c688b95',
  'logistic regression': 'be38267a',
  'knowledge graph, start': '7825e1aa',
  'knowledge graph': '830df51f',
  'Fourier features': '968d3f0f',
  'the activation linear': 'ecd50aa9',
  'the activation relu': 'ecd50aa9',
  'the activation sigmoid': '1886ca9d',
  'the activation tanh': '32a40e6d',
  'the activation elu': '8de3a73a'
}

test('functions, draws, schedules, graphs and training have the same bits in this Node', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/engine-bits.mjs'], { cwd: root })
  t.deepEqual(JSON.parse(stdout), expected)
})

const inBrowser = executablePath === undefined ? test.skip : test

inBrowser(`functions, draws, schedules, graphs and training have the same bits in Chromium${skipped}`, async (t) => {
  t.timeout(timeLimit(60_000))
  const { outputFiles } = await build({
    entryPoints: [`${root}test/engine-bits.mjs`],
    bundle: true,
    platform: 'browser',
    write: false,
    logLevel: 'silent'
  })
  const { page, complaints } = await openedBrowser(t, 'data:text/html,<body></body>', {})
  await page.addScriptTag({ content: outputFiles[0].text })
  t.deepEqual(JSON.parse((await page.locator('pre').textContent()) ?? ''), expected)
  t.deepEqual(complaints, [])
})
