/** Commands for saved models. */
import type { ExportFormat, ExportOptions } from '@murmuration/experiment/models'
import { type Command, Option } from 'commander'
import { stopOnSignal } from './ending.js'
import { lengthOf, temperatureOf, wholeOf } from './option-values.js'
import type { EvaluateFlags } from './evaluate-command.js'
import type { PredictFlags } from './predict-command.js'

/** Listed here, so that the help does not load the code that writes them. */
const exportFormats: readonly ExportFormat[] = ['tfjs', 'safetensors', 'onnx', 'libsvm']

/** Adds `evaluate`, `predict` and `export`. They load their modules when they are called. */
export function addModelCommands(program: Command, print: (text: string) => void): void {
  modelCommand(program, 'evaluate')
    .description('evaluate a model that --save wrote')
    .option('--data <path>', 'the data to evaluate on, in place of the test split of its run')
    .option('--json', 'print one JSON object')
    .action(async (model: string, flags: EvaluateFlags) => {
      const { evaluateText } = await import('./evaluate-command.js')
      print(await evaluateText(model, flags, stopOnSignal()))
    })

  modelCommand(program, 'predict')
    .description('predict classes or numbers for files, or continue a text, with a model that --save wrote')
    .argument('[files...]', 'images (PNG, JPEG), or CSV, Parquet or LIBSVM files with a row per sample')
    .option('--prompt <text>', 'in place of files: the beginning of a text, which a model of texts continues')
    .option('--length <characters>', 'of a text: the number of characters to add (default: 200)', lengthOf)
    .option(
      '--temperature <number>',
      'of a text: 1 samples as the model learned, 0 takes the most probable character (default: 0.8)',
      temperatureOf
    )
    .option('--seed <number>', 'of a text: the seed of its random numbers (default: 1)', wholeOf)
    .option('--json', 'print one JSON object per line')
    .action(async (model: string, files: readonly string[], flags: PredictFlags) => {
      const { predictLines } = await import('./predict-command.js')
      for await (const line of predictLines(model, files, flags)) print(line)
    })

  modelCommand(program, 'export')
    .description('convert a model that --save wrote to TensorFlow.js, Keras (safetensors) or ONNX')
    .requiredOption('--out <folder>', 'the folder; created if it does not exist')
    .addOption(new Option('--format <format>', 'the format (default: all that fit the model)').choices(exportFormats))
    .action(async (model: string, flags: ExportOptions) => {
      const { exportModel } = await import('@murmuration/experiment/models')
      for (const path of await exportModel(model, flags)) print(path)
    })
}

function modelCommand(program: Command, name: string): Command {
  return program
    .command(name)
    .argument('<model>', 'a file that "swarm --save" or "peer --save" wrote')
    .option('--task <module>', 'the module with the model, if the task was a module')
}
