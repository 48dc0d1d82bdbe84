import type { StoreMemory } from '@pets/messaging';
import type { DatabaseReadings } from './database-readings.repository.js';
import { one, type ReadGauge } from './reading-gauges.js';

/** The database server, equal on every replica. */
export const databaseGauges: Readonly<Record<string, ReadGauge<DatabaseReadings>>> = {
  pets_database_connections: {
    help: 'Open connections to the database server, of all clients',
    values: ({ connections }) => one(connections),
  },
  pets_database_connection_limit: {
    help: 'Connections that the database server accepts, without those for administrators',
    values: ({ connectionLimit }) => one(connectionLimit),
  },
  pets_database_oldest_transaction_seconds: {
    help: 'Age of the oldest open transaction',
    values: ({ oldestTransactionSeconds }) => one(oldestTransactionSeconds),
  },
  pets_database_transaction_id_age: {
    help: 'Transactions since the oldest database was frozen; PostgreSQL stops accepting writes at 2 147 483 648',
    values: ({ transactionIdAge }) => one(transactionIdAge),
  },
  pets_database_standbys: {
    help: 'Connected standbys of the database',
    values: ({ standbys }) => one(standbys),
  },
  pets_database_standby_delay_seconds: {
    help: 'How far the slowest standby of the database is behind',
    values: ({ standbyDelaySeconds }) => one(standbyDelaySeconds),
  },
  pets_database_kept_log_bytes: {
    help: 'Write-ahead log that an inactive replication slot keeps on the disk',
    values: ({ keptLogBytes }) => one(keptLogBytes),
  },
  pets_database_archiving_fails_seconds: {
    help: 'Seconds since a segment of the write-ahead log was archived, while archiving fails; otherwise 0',
    values: ({ archivingFailsSeconds }) => one(archivingFailsSeconds ?? 0),
  },
  pets_backup_age_seconds: {
    help: 'Seconds since the last backup was complete; no series while none was reported',
    values: ({ backupAgeSeconds }) => (backupAgeSeconds === null ? [] : one(backupAgeSeconds)),
  },
  pets_backup_interval_seconds: {
    help: 'Seconds between two backups; no series while none was reported',
    values: ({ backupIntervalSeconds }) => (backupIntervalSeconds === null ? [] : one(backupIntervalSeconds)),
  },
};

/** The memory of Redis; no series while PostgreSQL holds the queues. */
export const storeGauges: Readonly<Record<string, ReadGauge<StoreMemory | null>>> = {
  pets_redis_memory_used_bytes: {
    help: 'Memory that Redis uses, of the fullest server',
    values: (memory) => (memory === null ? [] : one(memory.usedBytes)),
  },
  pets_redis_memory_limit_bytes: {
    help: 'maxmemory of that server, or the memory of its machine where it has none',
    // 0 where neither is known.
    values: (memory) => (memory === null || memory.limitBytes === 0 ? [] : one(memory.limitBytes)),
  },
};
