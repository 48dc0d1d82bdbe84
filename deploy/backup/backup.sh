#!/bin/bash
# Backups of the database and of the files of deployments: the service `backup` of docker-compose.yml.
#
#   backup.sh           makes one every BACKUP_HOURS, and after a failure again in ten minutes; none of an empty database
#                       while there are others
#   backup.sh now       makes one, and ends
#   backup.sh list      prints the names of the complete ones, the oldest first
#   backup.sh restore NAME
#                       replaces the database, and adds the files that are missing; the former database is renamed
#   backup.sh healthy   exits with 0 if the newest one is younger than two intervals
#
# A backup is a folder of BACKUPS_FOLDER named after its time. It has another name until it is complete. The newest
# BACKUP_KEEP stay. The database comes first: docs/operations/backup-and-restore.md says why.
set -euo pipefail
umask 077

hours=${BACKUP_HOURS:-24}
keep=${BACKUP_KEEP:-7}
backups=${BACKUPS_FOLDER:-/backups}
files=${DEPLOYMENTS_FOLDER:-/data/deployments}
address=${DATABASE_URL:-$(cat "${DATABASE_URL_FILE:?names the file with the address of the database}")}

readonly retry_seconds=600 statement_limit=4h
# The first migration since 1.0.
readonly first_step=0001-baseline
[[ $hours =~ ^[1-9][0-9]{0,3}$ ]] || { echo "BACKUP_HOURS is $hours: a number of hours from 1 to 9999" >&2; exit 2; }
[[ $keep =~ ^[1-9][0-9]{0,3}$ ]] || { echo "BACKUP_KEEP is $keep: a number of backups from 1 to 9999" >&2; exit 2; }

# As variables of libpq: an address in an argument would show the password in every process list.
decode() { printf '%b' "${1//%/\\x}"; }
# Names made from that of the database must not be longer than the 63 bytes that PostgreSQL reads.
[[ $address =~ ^postgres(ql)?://([^:@/]+)(:([^@/]*))?@([^:/?]+)(:([0-9]+))?/([A-Za-z0-9_-]{1,40})(\?(.*))?$ ]] ||
  { echo 'the address of the database is not postgres://user:password@host:port/name' >&2; exit 2; }
PGUSER=$(decode "${BASH_REMATCH[2]}") PGPASSWORD=$(decode "${BASH_REMATCH[4]}") PGHOST=${BASH_REMATCH[5]}
PGPORT=${BASH_REMATCH[7]:-5432} PGDATABASE=${BASH_REMATCH[8]} PGCONNECT_TIMEOUT=10
IFS='&' read -ra parameters <<<"${BASH_REMATCH[10]}"
for parameter in "${parameters[@]}"; do
  case $parameter in
    sslmode=*) PGSSLMODE=$(decode "${parameter#*=}") && export PGSSLMODE ;;
    sslrootcert=*) PGSSLROOTCERT=$(decode "${parameter#*=}") && export PGSSLROOTCERT ;;
    *) echo "the address of the database has the parameter ${parameter%%=*}: only sslmode and sslrootcert are supported" >&2; exit 2 ;;
  esac
done
export PGUSER PGPASSWORD PGHOST PGPORT PGDATABASE PGCONNECT_TIMEOUT

list() {
  find "$backups" -mindepth 1 -maxdepth 1 -type d -name '20*Z' -printf '%f\n' | sort
}

# Seconds since the newest was complete; nothing if there is none.
age() {
  local newest
  newest=$(list | tail -n 1)
  [[ -z $newest ]] || echo $(($(date +%s) - $(stat --format=%Y "$backups/$newest")))
}

make_backup() {
  local name draft bytes
  # The descriptor ends with this process, whatever ends it.
  exec 9>"$backups/.lock"
  flock --nonblock 9 || { echo 'another backup is under way' >&2; exit 1; }
  name=$(date -u +%Y-%m-%dT%H%M%SZ)
  draft=$backups/unfinished
  rm -rf "$draft"
  mkdir "$draft"
  timeout "$statement_limit" pg_dump --format=custom --file="$draft/pets.dump"
  # A dump that cannot be read would be noticed when it is needed.
  pg_restore --list "$draft/pets.dump" >/dev/null
  # Files come and go while they are packed, which tar reports with 1. No backup needs one that came or went.
  timeout "$statement_limit" tar -C "$files" --exclude=./unfinished --warning=no-file-changed -cf "$draft/deployments.tar" . ||
    [[ $? == 1 ]]
  bytes=$(du -sb "$draft" | cut -f 1)
  sync "$draft"/*
  touch "$draft"
  mv "$draft" "$backups/$name"
  list | head -n "-$keep" | while read -r old; do rm -rf "${backups:?}/$old"; done
  psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --command="insert into last_backup (finished_at, bytes, interval_seconds) values (now(), $bytes, $((hours * 3600)))
    on conflict (only_row) do update set finished_at = excluded.finished_at, bytes = excluded.bytes,
      interval_seconds = excluded.interval_seconds"
  echo "backup: $name, $bytes bytes"
}

# Whether the database has no organization although there are backups, as on a new machine before the restore. Its dump
# would be the newest, and would push out the oldest.
awaits_restore() {
  local has_organizations
  [[ -n $(list) ]] || return 1
  has_organizations=$(psql --quiet --no-psqlrc --no-align --tuples-only --set=ON_ERROR_STOP=1 \
    --command='select exists (select from organizations)')
  [[ $has_organizations == f ]]
}

# Restores beside the running database and renames both, so that a backup that does not restore changes nothing.
restore() {
  local name=$1 draft=${PGDATABASE}_restored former steps swap=()
  [[ $name =~ ^[0-9TZ-]+$ && -f $backups/$name/pets.dump ]] || { echo "no backup has the name $name: see \`list\`" >&2; exit 2; }
  steps=$(pg_restore --data-only --table=kysely_migration --file=- "$backups/$name/pets.dump")
  [[ $steps == *$first_step* ]] || {
    echo "backup: $backups/$name was made by a version before 1.0: restore it with that version, or choose another" >&2
    exit 1
  }
  refuse_sessions
  former=${PGDATABASE}_before_$(date -u +%Y%m%d_%H%M%S)
  # A restore that was interrupted may have left it.
  server_sql "drop database if exists \"$draft\" with (force)" "create database \"$draft\""
  if ! pg_restore --dbname="$draft" --no-owner --exit-on-error "$backups/$name/pets.dump" ||
    ! tar -C "$files" --skip-old-files -xf "$backups/$name/deployments.tar"; then
    server_sql "drop database if exists \"$draft\" with (force)"
    echo "backup: $name does not restore; the database is unchanged" >&2
    exit 1
  fi
  refuse_sessions
  # On a new server there may be none to replace.
  [[ $(server_sql "select 1 from pg_database where datname = '$PGDATABASE'") != 1 ]] ||
    swap=("alter database \"$PGDATABASE\" rename to \"$former\"")
  server_sql "${swap[@]}" "alter database \"$draft\" rename to \"$PGDATABASE\""
  echo "backup: restored $name"
  ((${#swap[@]} == 0)) || echo "backup: the former database is $former: drop it when you no longer need it"
}

refuse_sessions() {
  local others
  others=$(server_sql "select count(*) from pg_stat_activity where datname = '$PGDATABASE'")
  [[ $others == 0 ]] || { echo "$others sessions use the database: stop pets-api and domains-worker first" >&2; exit 1; }
}

# Runs statements at the server; several renames in one transaction.
server_sql() {
  local statement transaction=() commands=()
  for statement; do commands+=("--command=$statement"); done
  [[ $1 != alter* ]] || transaction=(--single-transaction)
  PGDATABASE=postgres psql --quiet --no-psqlrc --no-align --tuples-only --set=ON_ERROR_STOP=1 "${transaction[@]}" "${commands[@]}"
}

# Ends at once on SIGTERM, also while it waits.
wait_seconds() {
  sleep "$1" &
  wait $!
}

case ${1:-} in
  now) make_backup ;;
  list) list ;;
  restore) restore "${2:-}" ;;
  healthy)
    seconds=$(age)
    [[ -n $seconds ]] || { echo 'there is no backup yet'; exit 1; }
    ((seconds < 2 * hours * 3600)) || { echo "the newest backup is $((seconds / 3600)) hours old"; exit 1; }
    ;;
  '')
    trap 'exit 0' TERM INT
    while true; do
      seconds=$(age)
      if [[ -n $seconds ]] && ((seconds < hours * 3600)); then
        wait_seconds $((hours * 3600 - seconds))
      elif awaits_restore; then
        echo 'backup: none made, because the database has no organization: run `restore NAME`, or `now`' >&2
        wait_seconds "$retry_seconds"
      elif ! "$0" now; then
        echo "backup: failed; again in $retry_seconds s" >&2
        wait_seconds "$retry_seconds"
      fi
    done
    ;;
  *)
    echo "unknown command $1: now, list, restore or healthy" >&2
    exit 2
    ;;
esac
