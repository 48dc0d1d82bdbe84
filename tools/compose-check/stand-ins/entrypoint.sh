#!/bin/sh
# What the official images do at start, as far as docker-compose.yml relies on it: make the database once, with the user,
# the name and the password file that the environment names, and serve as an ordinary user.
set -eu
if [ "$1" = redis-server ]; then
  chown redis /data
  exec gosu redis "$@" --bind '*' --protected-mode no
fi
[ "$1" = postgres ] || exec "$@"
shift
folder=/var/lib/postgresql/data
if [ ! -s "$folder/PG_VERSION" ]; then
  install -d -m 700 -o postgres -g postgres "$folder"
  install -m 400 -o postgres "$POSTGRES_PASSWORD_FILE" /tmp/password
  gosu postgres initdb -D "$folder" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --auth-local=trust >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$folder/pg_hba.conf"
  gosu postgres pg_ctl -D "$folder" -o "-c listen_addresses='' -k /tmp" -w start >/dev/null
  gosu postgres createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  gosu postgres pg_ctl -D "$folder" -w stop >/dev/null
fi
exec gosu postgres postgres -D "$folder" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
