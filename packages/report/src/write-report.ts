import { join } from 'node:path'
import { names, replaceFile, type Results, writeTables } from '@murmuration/results'
import { reportHtml } from './report-html.js'

/** Writes the report for people and the tables for other programs. Returns the report's path. */
export async function writeReport(directory: string, results: Results): Promise<string> {
  const report = join(directory, names.report)
  await replaceFile(report, [await reportHtml(results)])
  await writeTables(directory, results)
  return report
}
