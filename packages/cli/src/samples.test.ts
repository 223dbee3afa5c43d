import test from 'ava'
import { fileOrSample } from './samples.js'

test('who mistypes a training file is told of training files, not of what else lies beside them', (t) => {
  const { message } = t.throws(() => fileOrSample('examples/mnist/mpl.yaml', 'examples'))
  t.regex(message, /the samples are .*examples\/mnist\/cnn\.yaml.*; did you mean "examples\/mnist\/mlp\.yaml"\?/)
  t.notRegex(message, /links\.yaml|topology\.yaml|compare\.yaml|\.js/)
})
