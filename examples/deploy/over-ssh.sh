#!/bin/sh
# The peers of a run on machines that ssh reaches, with nothing there but Node.js, git and npm:
#   sh examples/deploy/over-ssh.sh RUN install | start | status | stop | fetch
# RUN is the folder that prepare.sh has made. install copies this clone to ~/murmuration and installs it; start copies
# to each machine its key and the files of the run, and starts its peer; stop lets rounds end and writes checkpoints;
# fetch brings logs and models back.
# What is said to the machine is put together here.
# shellcheck disable=SC2029
set -eu
run=${1:?expected the folder that prepare.sh has made}
act=${2:?expected install, start, status, stop or fetch}

start_command() {
  echo "nohup node ../murmuration/packages/cli/bin/murmur.js peer topology.yaml --train train.yaml --as $1 --key $1.key" \
    "--checkpoint checkpoints --resume --save $1.safetensors >>$1.log 2>&1 </dev/null & echo \$! >$1.pid"
}

# As scp has it: an IPv6 address in brackets.
remote() {
  echo "$1" | sed 's/[^@]*:[^@]*$/[&]/'
}

while read -r name host <&3; do
  echo "== $name ($host)"
  files=$(remote "$host"):murmur-run
  case $act in
    install) git archive HEAD | ssh "$host" 'mkdir -p murmuration && tar -xf - -C murmuration && cd murmuration && npm ci --no-audit --no-fund' ;;
    start)
      ssh "$host" 'umask 077 && mkdir -p murmur-run'
      scp -q "$run/topology.yaml" "$run/train.yaml" "$files/"
      scp -q -p "$run/keys/$name.key" "$files/$name.key"
      ssh "$host" "cd murmur-run && { $(start_command "$name"); }"
      ;;
    status) ssh "$host" "cd murmur-run && if kill -0 \$(cat $name.pid) 2>/dev/null; then echo runs; else echo does not run; fi; tail -n 3 $name.log" ;;
    stop) ssh "$host" "cd murmur-run && kill -TERM \$(cat $name.pid)" ;;
    fetch) scp -q "$files/$name.log" "$files/$name.safetensors" "$run/" || echo "   not all is there yet" ;;
    *) echo "expected install, start, status, stop or fetch, found $act" >&2 && exit 2 ;;
  esac
done 3<"$run/machines"
