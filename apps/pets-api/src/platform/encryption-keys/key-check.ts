/**
 * Checks that the configured key-encryption keys match the database, at the start and then until they do. A replica
 * with a wrong key is not ready (`/readyz` names the key) and orders no certificates: it could not decrypt existing
 * private keys, and other replicas could not decrypt its own, so orders would repeat.
 *
 * `key_checks` has a check value for each configured key. Only a process whose keys match writes one, so that a wrong
 * configuration cannot affect other replicas.
 */
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { pause } from '@pets/async';
import type { Database } from '@pets/persistence';
import type { KeyRing, Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { CONFIG, DATABASE, LOG } from '../providers.js';
import { ShuttingDown } from '../shutting-down.js';
import { EncryptedColumnsRepository } from './encrypted-columns.repository.js';
import {
  describeKeyFault,
  evaluateKeys,
  KeyChecksRepository,
  needsUsage,
  uncheckedKeys,
  type KeyFault,
} from './evaluate-keys.js';

/** The database may be unavailable or not migrated yet. Both take seconds, and `/readyz` reports them separately. */
const UNKNOWN_RETRY_MS = 1_000;
/** The result can change: texts sealed with a missing key may be rewrapped with another. */
const FAULT_RETRY_MS = 3_000;

@Injectable()
export class KeyCheck implements OnModuleInit, OnApplicationShutdown {
  /** Null before the first check that succeeded. */
  private faults: readonly KeyFault[] | null = null;
  private retrying: Promise<void> = Promise.resolve();
  private readonly ring: KeyRing;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    private readonly shuttingDown: ShuttingDown,
  ) {
    this.ring = config.CERTIFICATE_KEKS;
  }

  /** Whether encryption and decryption work. Check it before either. */
  get isUsable(): boolean {
    return this.faults?.length === 0;
  }

  /** The problems of the keys, for the operator. */
  get problems(): readonly string[] {
    return this.faults?.map(describeKeyFault) ?? ['key-encryption keys (not checked yet)'];
  }

  async onModuleInit(): Promise<void> {
    await this.check();
    if (!this.isUsable) this.retrying = this.retryUntilUsable(this.shuttingDown.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.retrying;
  }

  private async retryUntilUsable(signal: AbortSignal): Promise<void> {
    while (!this.isUsable && !signal.aborted) {
      await pause(this.faults === null ? UNKNOWN_RETRY_MS : FAULT_RETRY_MS, signal);
      if (!signal.aborted) await this.check();
    }
  }

  private async check(): Promise<void> {
    const before = this.problems.join();
    try {
      this.faults = await checkKeys(this.db, this.ring);
    } catch (error) {
      this.log.warn({ err: error }, 'key-encryption key check failed; retrying');
      return;
    }
    if (this.problems.join() === before) return;
    if (this.isUsable) this.log.info({ keyIds: [...this.ring.keys.keys()] }, 'key-encryption keys verified');
    for (const problem of this.problems) this.log.error(`not ready: ${problem}`);
  }
}

/** Compares the keys, and stores missing check values if there is no fault. */
export async function checkKeys(db: Database, ring: KeyRing): Promise<KeyFault[]> {
  const repository = new KeyChecksRepository(db);
  const checks = await repository.list();
  const usage = needsUsage(ring, checks) ? await new EncryptedColumnsRepository(db).usage() : [];
  const faults = evaluateKeys(ring, checks, usage);
  if (faults.length > 0) return faults;
  const unchecked = uncheckedKeys(ring, checks);
  if (unchecked.length === 0) return [];
  await repository.insertMissing(ring, unchecked);
  // Another replica may have been first, with another key of the same id.
  return evaluateKeys(ring, await repository.list(), usage);
}
