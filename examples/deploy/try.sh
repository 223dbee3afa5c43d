#!/bin/sh
# Tries the image on this machine: builds it, trains on a ring of four in containers, kills one, has it come again in a
# new container, and stops all, each with a checkpoint. In a clone in which "npm ci" has run, with podman (netavark,
# aardvark-dns) and buildah:
#   sh examples/deploy/try.sh
# The image is that of the Containerfile, on a base that holds this machine's Node.js, since a registry is not needed
# so, and with the files that are built here. Where containers cannot be run it says why, and ends with 77.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
try=murmur-try-$$
peers='murmur-0 murmur-1 murmur-2 murmur-3'

end() {
  for name in $peers; do run_podman rm -f -t 0 "$try-$name" >/dev/null 2>&1 || true; done
  run_podman network rm -f "$try" >/dev/null 2>&1 || true
  run_podman rmi -f "$try" "$try-base" >/dev/null 2>&1 || true
  rm -rf "$work"
}

skip() {
  echo "skipped: $1"
  exit 77
}

# crun does not run everywhere; where limits may not be raised, they are named.
run_podman() {
  podman --runtime runc --cgroup-manager cgroupfs "$@" 2>>"$work/podman.log"
}
limits='--ulimit nofile=1000:1000 --ulimit nproc=1000:1000'

# Copies programs and the libraries that they load into the base.
copy() {
  for program in "$@"; do
    file=$(readlink -f "$(command -v "$program")")
    for each in "$file" $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
      mkdir -p "$work/base$(dirname "$each")"
      cp -L "$each" "$work/base$each"
    done
  done
}

start() {
  # shellcheck disable=SC2086
  run_podman run -d --name "$try-$1" --hostname "$1" --network "$try" --network-alias "$1" $limits \
    --read-only --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp \
    -v "$work/run/topology.yaml:/run/murmur/topology.yaml:ro" -v "$work/run/train.yaml:/run/murmur/train.yaml:ro" \
    -v "$work/run/keys/$1.key:/run/murmur/key:ro" -v "$work/data/$1:/data" \
    "$try" peer /run/murmur/topology.yaml --train /run/murmur/train.yaml --as "$1" --key /run/murmur/key \
    --checkpoint /data/checkpoints --resume --save /data/model.safetensors >/dev/null
}

# Waits until a peer has said something: for two minutes, but no longer than its container runs.
says() {
  for _ in $(seq 240); do
    if run_podman logs "$try-$1" | grep -q "$2"; then
      echo "$1 says: $(run_podman logs "$try-$1" | grep -m 1 "$2")"
      return
    fi
    sleep 0.5
  done
  echo "$1 did not say \"$2\". It said:"
  run_podman logs "$try-$1"
  exit 1
}

for tool in podman buildah runc; do command -v $tool >/dev/null || skip "there is no $tool"; done
[ "$(id -u)" = 0 ] || skip 'the containers of this script are run by root'
trap end EXIT
trap 'exit 130' INT TERM

mkdir -p "$work/base/tmp" "$work/base/etc" "$work/data" "$work/built"
copy node dash sleep mkdir chown cp mv rm hostname
ln -s dash "$work/base$(dirname "$(readlink -f "$(command -v dash)")")/sh"
[ -e "$work/base/bin" ] || ln -s usr/bin "$work/base/bin"
printf 'FROM scratch\nADD base /\n' >"$work/Base"
buildah bud --isolation chroot -q -t "$try-base" -f "$work/Base" "$work" >/dev/null 2>>"$work/podman.log" || skip "buildah builds nothing here: $(tail -1 "$work/podman.log")"
# shellcheck disable=SC2086
if ! { run_podman network create "$try" && run_podman run --rm --network "$try" $limits "$try-base" node --version; } >/dev/null; then
  skip "podman runs nothing here: $(tail -1 "$work/podman.log")"
fi

sh examples/deploy/stage.sh "$work/built/stage" >"$work/stage.log" 2>&1 || { cat "$work/stage.log"; exit 1; }
buildah bud --isolation chroot -q --build-arg NODE="localhost/$try-base" --build-context build="$work/built" -t "$try" \
  -f examples/deploy/Containerfile "$work/built" >/dev/null 2>>"$work/podman.log"
# shellcheck disable=SC2086
MURMUR="node packages/cli/bin/murmur.js" sh examples/deploy/prepare.sh "$work/run" $peers >"$work/topology.txt"
sed -i 's/^rounds: .*/rounds: 1000000/' "$work/run/train.yaml"
for name in $peers; do mkdir "$work/data/$name"; done
chown -R 1000:1000 "$work/run/keys" "$work/data"
chmod 755 "$work" "$work/run"

for name in $peers; do start "$name"; done
for name in $peers; do says "$name" "$name round [1-9]"; done
run_podman kill -s KILL "$try-murmur-2" >/dev/null
says murmur-0 'murmur-2 is dead'
run_podman rm -f "$try-murmur-2" >/dev/null
start murmur-2
says murmur-0 'murmur-2 \(is back\|has started again\)'
says murmur-2 'murmur-2 round [1-9]'
for name in $peers; do run_podman stop -t 30 "$try-$name" >/dev/null & done
wait
for name in $peers; do
  code=$(run_podman inspect -f '{{.State.ExitCode}}' "$try-$name")
  [ "$code" = 130 ] || { echo "$name ended with $code, expected 130:"; run_podman logs "$try-$name"; exit 1; }
  says "$name" 'stops before round'
  ls "$work/data/$name/checkpoints/$name"/round-*.safetensors >/dev/null
done
echo 'all went well'
