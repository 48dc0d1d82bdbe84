import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const ONCE_MS = 60_000;
const MAX_KEYS = 10_000;

/** Notes when keys were last used: at most once a minute a key, and never on a request's path. */
@Injectable()
export class LastUse {
  private readonly noted = new LRUCache<string, true>({ ttl: ONCE_MS, max: MAX_KEYS });

  constructor(
    private readonly keys: ApiKeysRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(apiKeyId: string): void {
    if (this.noted.get(apiKeyId)) return;
    this.noted.set(apiKeyId, true);
    const now = this.clock();
    // Another replica may have noted it within this minute.
    this.keys.recordUse(apiKeyId, now, new Date(now.getTime() - ONCE_MS)).catch((error: unknown) => {
      this.log.warn({ err: error, apiKeyId }, 'recording the last use of an API key failed');
    });
  }
}
