import test from 'ava'
import { KernelMachine } from './kernel-machine.js'

const support = [Float32Array.of(1, 0), Float32Array.of(0.5, 2), Float32Array.of(0, -1)]
const coefficients = Float64Array.of(-0.5, 1, -0.5)

test('the decision value is the sum over the support vectors, and the bias', (t) => {
  const machine = new KernelMachine({ kernel: { rbf: { gamma: 0.5 } }, support, coefficients, bias: 0.25 })
  const at = Float32Array.of(0.5, 1)
  const valueOf = (s: Float32Array) => Math.exp(-0.5 * ((s[0] - at[0]) ** 2 + (s[1] - at[1]) ** 2))
  const expected = support.reduce((sum, s, k) => sum + coefficients[k] * valueOf(s), 0.25)
  const [found, far] = machine.decide([at, Float32Array.of(100, 100)])
  t.true(Math.abs(found - expected) < 1e-12)
  t.is(far, 0.25)
})

test('as a file of LIBSVM the positive class comes first, rho is −b, and zeros are left out', (t) => {
  const lines = (kernel: ConstructorParameters<typeof KernelMachine>[0]['kernel']) =>
    new KernelMachine({ kernel, support, coefficients, bias: 0.25 }).libsvm([-1, 1]).split('\n')
  t.deepEqual(lines({ rbf: { gamma: 0.5 } }), [
    'svm_type c_svc',
    'kernel_type rbf',
    'gamma 0.5',
    'nr_class 2',
    'total_sv 3',
    'rho -0.25',
    'label 1 -1',
    'nr_sv 1 2',
    'SV',
    '1 1:0.5 2:2',
    '-0.5 1:1',
    '-0.5 2:-1',
    ''
  ])
  t.is(lines('linear')[1], 'kernel_type linear')
  const polynomial = lines({ polynomial: { degree: 2, gamma: 1, coef0: 3 } })
  t.deepEqual(polynomial.slice(1, 5), ['kernel_type polynomial', 'degree 2', 'gamma 1', 'coef0 3'])
})
