/** The names of files with tables. */
export const csvName = /\.csv(\.gz)?$/i
export const parquetName = /\.parquet$/i
export const libsvmName = /\.(libsvm|svm|svmlight)(\.gz)?$/i

/** All of them; only one format at a time is a data set. */
export const tableNames: readonly RegExp[] = [csvName, parquetName, libsvmName]

/** Whether a file is a table by its name. */
export const isTable = (name: string): boolean => tableNames.some((each) => each.test(name))
