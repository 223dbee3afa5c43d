import test from 'ava'
import { nearest } from './nearest.js'

test('the nearest word is offered for a typo, and none for something else', (t) => {
  const words = ['ring', 'torus', 'hypercube', 'a', 'b']
  t.is(nearest('rign', words), '; did you mean "ring"?')
  t.is(nearest('TORUS', words), '; did you mean "torus"?')
  t.is(nearest('hypercubbes', words), '; did you mean "hypercube"?')
  t.is(nearest('x', words), '')
  t.is(nearest('sphere', words), '')
  t.is(nearest('', words), '')
})
