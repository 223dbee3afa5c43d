import { allAlgorithms } from '@murmuration/algorithms'
import test from 'ava'
import { taxonomyTable } from './taxonomy.js'

const rows = taxonomyTable()
  .split('\n')
  .slice(2)
  .map((line) => line.slice(2, -2).split(' | '))
const namesOf = (row: readonly string[]) => (row.at(-1) ?? '').split('; ').map((name) => name.replace(/ \(\d+\)$/, ''))
const placeOf = (title: string) =>
  rows
    .find((row) => namesOf(row).includes(title))
    ?.slice(0, -1)
    .join(', ')

test('the taxonomy has every algorithm once, and no place twice', (t) => {
  t.deepEqual(rows.flatMap(namesOf).sort(), allAlgorithms.map(({ title }) => title).sort())
  const places = rows.map((row) => row.slice(0, -1).join())
  t.is(new Set(places).size, places.length)
})

test('algorithms stand where their papers put them', (t) => {
  const places = {
    'D-PSGD': 'neighbours, synchronous, whole, mean, one exchange',
    'AD-PSGD': 'neighbours, asynchronous, whole, mean, one exchange',
    'CHOCO-SGD': 'neighbours, synchronous, compressed, mean, the epoch',
    'SGD on an all-reduce': 'all, synchronous, whole, equality, the epoch',
    'Parameter server': 'servers, synchronous, whole, equality, the epoch',
    'Asynchronous parameter server': 'servers, asynchronous, whole, nothing, the epoch',
    'Stale synchronous parallel': 'servers, bounded, whole, nothing, the epoch',
    'Lapse': 'holders of rows, asynchronous, rows, nothing, the run',
    'Petuum': 'holders of rows, bounded, rows, nothing, the run',
    'Robust push-sum': 'neighbours, synchronous, whole, weighted mean, nothing'
  }
  for (const [title, place] of Object.entries(places)) t.is(placeOf(title), place, title)
})

test('the taxonomy says after how many steps an algorithm exchanges', (t) => {
  t.true(taxonomyTable().includes('DiLoCo (500)'))
  t.true(taxonomyTable().includes('D-PSGD;'))
})
