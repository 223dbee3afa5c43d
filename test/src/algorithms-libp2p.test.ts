/** Every algorithm of the registry on libp2p, held to what all of them promise. */
import { algorithms } from '@murmuration/algorithms'
import { testAlgorithm } from '@murmuration/contract'
import test from 'ava'
import { settingsOf } from './algorithm-cases.js'
import { libp2pWorld } from './worlds.js'

for (const algorithm of algorithms) testAlgorithm(test.serial, libp2pWorld, settingsOf(algorithm))
