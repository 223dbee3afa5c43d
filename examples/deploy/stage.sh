#!/bin/sh
# What runs, without what builds and tests it: sh examples/deploy/stage.sh FOLDER, in a clone in which "npm ci" has run.
set -eu
stage=${1:?expected a folder that is not there yet}
mkdir "$stage"
tar -cf - --exclude=node_modules --exclude='*.test.*' --exclude='*.test' --exclude='*.tsbuildinfo' \
  --exclude='packages/*/src' --exclude='packages/*/bench' --exclude='packages/*/assembly' \
  package.json package-lock.json packages topologies sim examples docs/schemas test/package.json LICENSE-* |
  tar -xf - -C "$stage"
cd "$stage"
# The versions of the lock file, without what is only for building and testing: npm would install the test package that
# the command's tests import.
node -e "
  const { readFileSync, readdirSync, writeFileSync } = require('node:fs')
  const edit = (file, change) => writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))))
  const plain = ({ devDependencies, ...rest }) => rest
  for (const name of readdirSync('packages')) edit('packages/' + name + '/package.json', plain)
  edit('package-lock.json', ({ packages, ...rest }) =>
    ({ ...rest, packages: Object.fromEntries(Object.entries(packages).map(([path, each]) => [path, plain(each)])) }))
  edit('package.json', plain)
"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace packages/cli
