import { Controller, Get, Inject } from '@nestjs/common';
import type { Messaging } from '@pets/messaging';
import { hasTimeLimits, isDatabaseCurrent, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { KeyCheck } from '../platform/encryption-keys/key-check.js';
import { DATABASE, MESSAGING } from '../platform/providers.js';
import { ShuttingDown } from '../platform/shutting-down.js';

/** Health checks, without a key. */
@Controller()
export class HealthController {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly shuttingDown: ShuttingDown,
    private readonly keys: KeyCheck,
  ) {}

  /** The process runs. Depends on nothing else: an outage elsewhere must not restart every replica. */
  @Get('livez')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * The process can serve requests: the database is reachable and migrated and limits statements, the queue is reachable, the key-encryption
   * keys work, and the process is not stopping.
   */
  @Get('readyz')
  async ready(): Promise<{ status: 'ok' }> {
    const missing = await this.findMissing();
    if (missing.length > 0) throw new RequestError('unavailable', `Not ready: ${missing.join(', ')}.`);
    return { status: 'ok' };
  }

  private async findMissing(): Promise<string[]> {
    if (this.shuttingDown.signal.aborted) return ['stopping'];
    const [isCurrent, isLimited, isMessagingReady] = await Promise.all([
      isDatabaseCurrent(this.db).catch(() => null),
      hasTimeLimits(this.db).catch(() => true),
      this.messaging.ready(),
    ]);
    return [
      ...(isCurrent === null ? ['database'] : isCurrent ? [] : ['migrations']),
      ...(isLimited ? [] : ['time limits of statements: behind a connection pooler, set DATABASE_SESSION_URL']),
      ...(isMessagingReady ? [] : ['queue']),
      // Without the database, the state of the keys is unknown.
      ...(isCurrent === true ? this.keys.problems : []),
    ];
  }
}
