import { Inject, Injectable } from '@nestjs/common';
import { exponentialDelayMs, pause } from '@pets/async';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG, LOG } from '../providers.js';
import { CaAccounts, type OpenAccount } from './ca-accounts.js';
import { toCaProblem } from './ca-problem.js';

const RETRY_DELAY = { firstMs: 500, maxMs: 60_000 };
const ATTEMPT_LIMIT_MS = 20_000;

/**
 * Opens the account at each configured CA when the process starts, and reports it to the API: edges can answer HTTP-01 only
 * once they know the thumbprint. It retries in the background, since a CA may be down, and each account independently.
 */
@Injectable()
export class AccountAnnouncer {
  private readonly stopping = new AbortController();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly accounts: CaAccounts,
    private readonly events: EventSender,
  ) {}

  start(): void {
    for (const directoryUrl of this.config.ACME_DIRECTORY_URLS)
      this.announceUntilDone(directoryUrl).catch((error: unknown) =>
        this.log.error({ err: error, directoryUrl }, 'account announcement failed'),
      );
  }

  stop(): void {
    this.stopping.abort(new Error('the process is stopping'));
  }

  /** Reports an account, unless its key only finishes and revokes: edges answer with the thumbprint that was reported last. */
  async announce({ directoryUrl, accountUrl, thumbprint }: OpenAccount, signal: AbortSignal): Promise<void> {
    if (thumbprint !== this.accounts.thumbprint) return;
    await this.events.send('account.ready', { directoryUrl, accountUrl, thumbprint }, signal);
  }

  private async announceUntilDone(directoryUrl: string): Promise<void> {
    for (let failures = 1; !this.stopping.signal.aborted; failures += 1) {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]);
      try {
        const opened = await this.accounts.ensure({ directoryUrl }, signal);
        await this.announce(opened, signal);
        return this.log.info({ directoryUrl, accountUrl: opened.accountUrl }, 'account ready');
      } catch (error) {
        const pauseMs = exponentialDelayMs(RETRY_DELAY, failures);
        this.log.warn({ directoryUrl, problem: toCaProblem(error, signal), pauseMs }, 'account not ready yet');
        await pause(pauseMs, this.stopping.signal);
      }
    }
  }
}
