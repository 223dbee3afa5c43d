/** Test sets besides data, and for trained models. */
import { InputError } from '@murmuration/core'
import test from 'ava'
import { readCsv } from './files/csv.js'
import { tableSource } from './files/table-source.js'
import { sampleColumns } from './files/table-columns.js'
import { fittedTo, fittedToModel } from './test-set.js'

const read = (text: string) => tableSource([readCsv({ name: 'a.csv', bytes: Buffer.from(text) }, sampleColumns())])

test('classes have to be named alike in the test set and in the data', (t) => {
  const words = read('1,b\n2,a')
  const numbers = read('1,1\n2,0')
  t.throws(() => fittedTo(numbers, words), {
    instanceOf: InputError,
    message: /class 0 of the samples is "a", that of the test set "0"/
  })
  t.is(fittedTo(words, words).classes, 2)
  const digits = { ...numbers, classNames: ['0', '1', '2'], classes: 3 }
  t.is(fittedTo(digits, numbers).classes, 3, 'folders may be called as their classes are numbered')
})

test('a test set for a model need not show all its classes, and has no other', (t) => {
  const fit = { inputShape: [1], classes: 4 }
  t.is(fittedToModel(fit, read('1,1\n2,0')).classes, 4)
  t.throws(() => fittedToModel(fit, read('1,4\n2,0')), {
    instanceOf: InputError,
    message: 'a sample has class 4, but the model has only the classes 0 to 3'
  })
  t.throws(() => fittedToModel(fit, read('1,2,0\n1,2,1')), {
    instanceOf: InputError,
    message: 'the samples have inputs of shape [2], the model takes [1]'
  })
})

test('a test set for a model has to name its classes as the model does', (t) => {
  const words = read('1,cat\n2,bird')
  const numbers = read('1,1\n2,0')
  const fit = { inputShape: [1], classes: 4 }
  const refused = (message: RegExp, ...given: Parameters<typeof fittedToModel>) =>
    t.throws(() => fittedToModel(...given), { instanceOf: InputError, message })
  refused(/class 0 of the samples is "bird", that of the model "0"/, fit, words)
  const folders = { ...numbers, classNames: ['0', '3'] }
  refused(/class 1 of the samples is "3", that of the model "1"/, fit, folders)
  refused(/class 0 of the samples is "0", that of the model "a"/, { ...fit, classNames: ['a', 'b', 'c', 'd'] }, numbers)
  t.is(fittedToModel({ ...fit, classNames: ['0', '1', '2', '3'] }, numbers).classes, 4)
})
