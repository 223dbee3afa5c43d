#!/bin/sh
# Installs the packages of the WebGPU backend in node_modules/.cache/webgpu, for test/src/processes/webgpu.test.ts. 150
# MB. Exits with 77, after the reason, where they cannot be installed, or there is no driver that computes in software:
# the test does not need a GPU.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/node_modules/.cache/webgpu
skip() {
  echo "webgpu: $1"
  exit 77
}
[ -e /usr/lib/chromium/vk_swiftshader_icd.json ] || skip "there is no SwiftShader, which Debian's Chromium has"
mkdir -p "$folder" && cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund webgpu@0.6.2 @tensorflow/tfjs-backend-webgpu@4.22.0 >/dev/null || skip 'its packages cannot be installed'
# Those of the repository serve it too, as they do where a user installs it.
rm -r node_modules/@tensorflow/tfjs-core node_modules/@tensorflow/tfjs-backend-cpu
