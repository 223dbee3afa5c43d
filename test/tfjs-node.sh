#!/bin/sh
# Builds @tensorflow/tfjs-node in node_modules/.cache/tfjs-node, for test/src/processes/tfjs-node.test.ts. Its own
# install script downloads TensorFlow from a host that not every machine reaches; here the library is that of PyPI's
# tensorflow-cpu. 600 MB. Exits with 77, after the reason, where it cannot be built.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/node_modules/.cache/tfjs-node
skip() {
  echo "tfjs-node: $1"
  exit 77
}
[ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || skip 'the library is for Linux on x86_64'
for tool in python3 g++; do command -v $tool >/dev/null || skip "there is no $tool"; done
python3 -m pip --version >/dev/null 2>&1 || skip 'Python has no pip'
mkdir -p "$folder" && cd "$folder"
python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 --platform manylinux_2_17_x86_64 -d wheel tensorflow-cpu==2.15.1 ||
  skip 'tensorflow-cpu 2.15.1 cannot be downloaded'
python3 - <<'PYTHON'
from glob import glob
from zipfile import ZipFile

with ZipFile(glob('wheel/*.whl')[0]) as wheel:
    wheel.extractall(members=[name for name in wheel.namelist() if name.startswith(('tensorflow/include/', 'tensorflow/libtensorflow'))])
PYTHON
rm -r wheel
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund @tensorflow/tfjs-node@4.22.0 node-api-headers@1.9.0 >/dev/null || skip 'its packages cannot be installed'
# Those of the repository serve it too, as they do where a user installs it.
rm -r node_modules/@tensorflow/tfjs-core node_modules/@tensorflow/tfjs-layers node_modules/@tensorflow/tfjs-backend-cpu
cd node_modules/@tensorflow/tfjs-node
mkdir -p lib/napi-v8
g++ -O2 -std=c++17 -shared -fPIC -DNAPI_VERSION=8 -I "$folder/node_modules/node-api-headers/include" -I "$folder/tensorflow/include" -I . binding/*.cc \
  -o lib/napi-v8/tfjs_binding.node -L "$folder/tensorflow" -l:libtensorflow_cc.so.2 -l:libtensorflow_framework.so.2 -Wl,-rpath,"$folder/tensorflow"
rm -r "$folder/tensorflow/include"
