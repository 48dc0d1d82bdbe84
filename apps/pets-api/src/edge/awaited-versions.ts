import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Database, NotificationListener } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE, NOTIFICATIONS } from '../platform/providers.js';

/** No wait is longer; a replica forgets an announced version after this time. */
const MAX_WAIT_MS = 5_000;

/** Concurrent waits from which on every version counts as awaited. */
const MAX_WAITS = 1_000;

/**
 * The versions for whose acknowledgements some replica waits: those are written at once, and waiting replicas are notified.
 * An announcement that is lost costs the waiting replica up to one interval of its polling.
 */
@Injectable()
export class AwaitedVersions implements OnModuleInit, OnApplicationShutdown {
  /** When each wait ends. */
  readonly #ends = new Map<number, number>();
  readonly #listeners = new Set<() => void>();
  #stopListening: () => void = () => undefined;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  onModuleInit(): void {
    this.#stopListening = this.notifications.on('edge_ack_waits', (payload) => {
      if (/^\d{1,15}$/.test(payload)) this.#add(Number(payload));
    });
  }

  onApplicationShutdown(): void {
    this.#stopListening();
  }

  /** Says that this replica waits for versions. */
  async announce(versions: readonly number[]): Promise<void> {
    for (const version of versions) this.#add(version);
    const payloads = versions.map(String);
    await sql`select pg_notify('edge_ack_waits', version) from unnest(${payloads}::text[]) as w (version)`.execute(
      this.db,
    );
  }

  /** Whether somebody waits for a version in (after, upTo]. */
  isAwaited(after: number, upTo: number): boolean {
    this.#forgetEnded();
    if (this.#ends.size > MAX_WAITS) return true;
    for (const version of this.#ends.keys()) if (after < version && version <= upTo) return true;
    return false;
  }

  /** Calls back when another version is awaited. */
  onAnnounced(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #add(version: number): void {
    this.#forgetEnded();
    if (this.#ends.size > MAX_WAITS) return;
    this.#ends.delete(version); // to the end: the map is in order of ends
    this.#ends.set(version, performance.now() + MAX_WAIT_MS);
    for (const listener of this.#listeners) listener();
  }

  #forgetEnded(): void {
    const now = performance.now();
    for (const [version, end] of this.#ends) {
      if (end > now) return;
      this.#ends.delete(version);
    }
  }
}
