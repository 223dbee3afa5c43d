#!/bin/sh
# Makes a run for several machines: a key for each peer, the topology file that names them all, and the list of
# machines.
#   sh examples/deploy/prepare.sh run alice.example.org bob.example.org carol=192.0.2.7
# A peer is called as its machine up to the first dot, or as NAME=MACHINE says. MURMUR is the command, "npx murmur"
# unless it is set.
set -eu
folder=${1:?expected a folder that is not there yet, and then the machines}
shift
: "${1:?expected machines after the folder, such as alice.example.org carol=192.0.2.7}"
murmur=${MURMUR:-npx murmur}
mkdir -m 700 "$folder" "$folder/keys"
peers=
for machine in "$@"; do
  host=${machine#*=}
  name=${machine%%=*}
  name=${name%%.*}
  case $host in
    *:*) address=/ip6/$host/tcp/4001 ;;
    *[!0-9.]*) address=/dns4/$host/tcp/4001 ;;
    *) address=/ip4/$host/tcp/4001 ;;
  esac
  id=$($murmur identity "$name" --key "$folder/keys/$name.key" --json | sed 's/.*"id":"\([^"]*\)".*/\1/')
  peers="$peers
  - { name: $name, id: $id, addresses: [$address] }"
  echo "$name $host" >>"$folder/machines"
done
printf 'graph: ring\npeers:%s\n' "$peers" >"$folder/topology.yaml"
cp "$(dirname "$0")/train.yaml" "$folder/train.yaml"
$murmur topology "$folder/topology.yaml"
