#!/bin/sh
# Knot DNS as the primary name server of the zone of DNS-01 challenges. The zone lives in memory and begins empty at each
# start, because every record in it belongs to an order of the last minutes: what a crash leaves behind ends with the process.
#
#   ACME_DNS_ZONE            the zone, such as acme.pets.example
#   ACME_DNS_TSIG_KEY_FILE   file with the key of updates and transfers, [hmac-sha256:]name:secret
#   DNS_NAME_SERVERS         host names of its name servers, comma-separated, this one first; they are not in the zone
#   DNS_SECONDARIES          addresses of the others, address@port, comma-separated; they are notified and may transfer
#   DNS_LISTEN               address@port, comma-separated
#   KNOT_FOLDER              for its files
set -eu
umask 077

zone=${ACME_DNS_ZONE:?is empty: the zone of challenges}
listen=${DNS_LISTEN:-0.0.0.0@5353}
folder=${KNOT_FOLDER:-/tmp/knot}
: "${DNS_NAME_SERVERS:?is empty: the host names of the name servers}" "${ACME_DNS_TSIG_KEY_FILE:?is empty: the file of the key}"
names=$(printf %s "$DNS_NAME_SERVERS" | tr ',' ' ')
secondaries=$(printf %s "${DNS_SECONDARIES:-}" | tr ',' ' ')
key=$(cat "$ACME_DNS_TSIG_KEY_FILE")
key=${key#hmac-sha256:}
key_name=${key%%:*}

rm -rf "$folder"
mkdir -p "$folder/database"

# Each update adds one to the serial. It begins with 16 for each second of time, so that it is larger after a restart than
# before, and secondaries take the new zone.
serial=$(($(date +%s%3N) * 2 / 125 % 4294967296))
first=${names%% *}
{
  # Negative answers are kept for a second.
  echo "@ 60 SOA ${first%.}. hostmaster.$zone. $serial 60 10 3600 1"
  for name in $names; do echo "@ 60 NS ${name%.}."; done
} >"$folder/zone"

remotes= ids=
for address in $secondaries; do
  id=secondary$((${#ids} + 1))
  ids="$ids${ids:+, }$id"
  remotes="$remotes
  - id: $id
    address: $address
    key: $key_name"
done

cat >"$folder/knot.conf" <<CONFIG
server:
    rundir: "$folder"
    listen: [$(printf %s "$listen" | sed 's/,/, /g')]
    identity: ""
    version: ""
    nsid: ""
    udp-workers: 2
    tcp-workers: 2
    background-workers: 2
database:
    storage: "$folder/database"
log:
  - target: stderr
    any: info
key:
  - id: $key_name
    algorithm: hmac-sha256
    secret: ${key#*:}
${ids:+remote:$remotes}
acl:
  - id: update
    key: $key_name
    action: update
    update-type: TXT
  - id: transfer
    key: $key_name
    action: transfer
# Limits the replies to one network, so that forged questions gain nothing.
mod-rrl:
  - id: default
    rate-limit: 200
    slip: 2
template:
  - id: default
    global-module: mod-rrl/default
zone:
  - domain: $zone
    storage: "$folder"
    file: zone
    zonefile-sync: -1
    journal-content: none
    serial-policy: increment
    acl: [update, transfer]
${ids:+    notify: [$ids]}
CONFIG

exec knotd -c "$folder/knot.conf"
