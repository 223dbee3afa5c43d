import { testTranscripts } from '@murmuration/contract'
import test from 'ava'
import { protocol } from './transcripts.test.support.js'

testTranscripts(test, protocol)
