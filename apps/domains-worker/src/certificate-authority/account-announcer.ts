import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { exponentialDelayMs, pause } from '@pets/async';
import { ACCOUNTS_ANNOUNCED_EVERY_MS, DEFAULT_ACCOUNT, type AnnouncedAccount } from '@pets/contracts';
import { caAccountId, isNamedAccount, type CaAccountRef } from '@pets/domains';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG, LOG } from '../providers.js';
import { CaAccounts, type OpenAccount } from './ca-accounts.js';
import { toCaProblem } from './ca-problem.js';

const RETRY_DELAY = { firstMs: 500, maxMs: 60_000 };
const ATTEMPT_LIMIT_MS = 20_000;

/**
 * Opens the accounts at the configured CAs when the process starts, and reports them to the API: edges can answer HTTP-01
 * only once they know the thumbprint. It retries in the background, since a CA may be down, and each account independently.
 *
 * The default accounts are reported once. The others are reported as long as the process runs, since the API uses one only
 * while all workers can: the key of an account may not have reached every worker yet.
 */
@Injectable()
export class AccountAnnouncer {
  private readonly stopping = new AbortController();
  private readonly workerId = randomUUID();
  /** The accounts other than the default ones that are open, by id. */
  private readonly named = new Map<string, AnnouncedAccount>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly accounts: CaAccounts,
    private readonly events: EventSender,
  ) {}

  start(): void {
    const { ACME_DIRECTORY_URLS, ACME_ACCOUNTS } = this.config;
    const defaults = ACME_DIRECTORY_URLS.map((directoryUrl) => ({ directoryUrl, account: DEFAULT_ACCOUNT }));
    for (const ref of [...defaults, ...ACME_ACCOUNTS.filter(isNamedAccount)])
      this.announceUntilDone(ref).catch((error: unknown) =>
        this.log.error({ err: error, directoryUrl: ref.directoryUrl }, 'account announcement failed'),
      );
    if (ACME_ACCOUNTS.length > 0)
      this.repeatNamed().catch((error: unknown) => this.log.error({ err: error }, 'accounts no longer announced'));
  }

  stop(): void {
    this.stopping.abort(new Error('the process is stopping'));
  }

  async announce(opened: OpenAccount, signal: AbortSignal): Promise<void> {
    const { directoryUrl, account: name, accountUrl, thumbprint } = opened;
    if (name === DEFAULT_ACCOUNT)
      return this.events.send('account.ready', { directoryUrl, accountUrl, thumbprint }, signal);
    this.named.set(caAccountId(opened), { name, directoryUrl, accountUrl, thumbprint });
    await this.announceNamed(signal);
  }

  private async announceUntilDone(ref: CaAccountRef): Promise<void> {
    const { directoryUrl, account } = ref;
    for (let failures = 1; !this.stopping.signal.aborted; failures += 1) {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]);
      try {
        const opened = await this.accounts.ensure(ref, signal);
        await this.announce(opened, signal);
        return this.log.info({ directoryUrl, account, accountUrl: opened.accountUrl }, 'account ready');
      } catch (error) {
        const pauseMs = exponentialDelayMs(RETRY_DELAY, failures);
        this.log.warn({ directoryUrl, account, problem: toCaProblem(error, signal), pauseMs }, 'account not ready yet');
        await pause(pauseMs, this.stopping.signal);
      }
    }
  }

  private async repeatNamed(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]);
      await this.announceNamed(signal).catch((error: unknown) =>
        this.log.warn({ err: error }, 'accounts not announced; trying again'),
      );
      await pause(ACCOUNTS_ANNOUNCED_EVERY_MS, this.stopping.signal);
    }
  }

  /** Ahead of other events, since the accounts of a silent worker are not used. */
  private announceNamed(signal: AbortSignal): Promise<void> {
    const { workerId } = this;
    return this.events.send('accounts.announced', { workerId, accounts: [...this.named.values()] }, signal, true);
  }
}
