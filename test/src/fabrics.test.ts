import { testFabric } from '@murmuration/contract'
import test from 'ava'
import { libp2pWorld, simulatedWorld } from './worlds.js'

testFabric(test, simulatedWorld)
testFabric(test, libp2pWorld)
