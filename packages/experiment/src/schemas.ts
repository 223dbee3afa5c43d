import { linksFileJsonSchema, topologyFileJsonSchema } from '@murmuration/files'
import { scenarioJsonSchema } from './sim/scenario-schema.js'
import { trainingJsonSchema } from './training/training-schema.js'

/** The JSON Schemas of the files that users write, by file name, as they are published in docs/schemas. */
export function schemaFiles(): Readonly<Record<string, string>> {
  return {
    'links.schema.json': textOf(linksFileJsonSchema()),
    'scenario.schema.json': textOf(scenarioJsonSchema()),
    'topology.schema.json': textOf(topologyFileJsonSchema()),
    'training.schema.json': textOf(trainingJsonSchema())
  }
}

function textOf(schema: unknown): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
