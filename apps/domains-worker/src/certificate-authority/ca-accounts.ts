import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { abortable, exponentialDelayMs, pause } from '@pets/async';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG, LOG } from '../providers.js';
import { AcmeAccount, openAccount } from './acme-account.js';
import { thumbprintOf } from './acme-jws.js';
import { AcmeServer } from './acme-server.js';
import { CaError, plainProblem, toCaProblem } from './ca-problem.js';

/** A CA, and the key of the account there: by default the one that orders. */
interface AccountRef {
  readonly directoryUrl: string;
  /** RFC 7638. */
  readonly accountThumbprint?: string;
}

/** Our account at a CA. */
export interface OpenAccount {
  readonly directoryUrl: string;
  readonly accountUrl: string;
  /** RFC 7638 thumbprint of its key, the second half of every HTTP-01 response. */
  readonly thumbprint: string;
  /** Names of the CA in CAA records. */
  readonly caaIdentities: readonly string[];
  readonly client: AcmeAccount;
}

/** A registration takes three or four requests. */
const ENSURE_LIMIT_MS = 15_000;

/**
 * Our accounts at the CAs, opened on first use. One key orders at every CA. Those that it has replaced finish and revoke what
 * they ordered, since a CA knows an account by its key.
 */
@Injectable()
export class CaAccounts {
  /** Thumbprint of the key that orders. */
  readonly thumbprint: string;
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly servers = new Map<string, AcmeServer>();
  private readonly accounts = new Map<string, Promise<AcmeAccount>>();

  constructor(@Inject(CONFIG) private readonly config: Config) {
    const [first] = config.ACME_ACCOUNT_KEY;
    this.thumbprint = thumbprintOf(first);
    this.keys = new Map(config.ACME_ACCOUNT_KEY.map((key) => [thumbprintOf(key), key]));
  }

  /** The CA, with a connection state and a circuit breaker of its own. */
  serverAt(directoryUrl: string): AcmeServer {
    const known = this.servers.get(directoryUrl);
    if (known !== undefined) return known;
    const server = new AcmeServer(directoryUrl);
    this.servers.set(directoryUrl, server);
    return server;
  }

  /**
   * Jobs that need the same account share one registration. The signal ends only the wait for it.
   * @throws CaError when there is no such key, or the CA refuses
   */
  async ensure(
    { directoryUrl, accountThumbprint: thumbprint = this.thumbprint }: AccountRef,
    signal: AbortSignal,
  ): Promise<OpenAccount> {
    const client = await abortable(this.client(directoryUrl, thumbprint), signal);
    const { caaIdentities = [] } = await this.serverAt(directoryUrl).directory(signal);
    return {
      directoryUrl,
      accountUrl: client.url,
      thumbprint,
      caaIdentities: caaIdentities.length > 0 ? caaIdentities : this.config.ACME_CAA_IDENTITIES,
      client,
    };
  }

  /** Every CA that was used, and whether it has stopped to answer. */
  listSilence(): readonly { readonly directoryUrl: string; readonly isSilent: boolean }[] {
    return [...this.servers.values()].map(({ directoryUrl, isSilent }) => ({ directoryUrl, isSilent }));
  }

  /** For a CA that does not know the account any more: the next `ensure` starts again with the directory. */
  forget({ directoryUrl, accountThumbprint = this.thumbprint }: AccountRef): void {
    this.accounts.delete(idOf(directoryUrl, accountThumbprint));
    this.servers.delete(directoryUrl);
  }

  private client(directoryUrl: string, thumbprint: string): Promise<AcmeAccount> {
    const id = idOf(directoryUrl, thumbprint);
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const opening = this.open(directoryUrl, thumbprint);
    this.accounts.set(id, opening);
    opening.catch(() => this.accounts.delete(id));
    return opening;
  }

  private async open(directoryUrl: string, thumbprint: string): Promise<AcmeAccount> {
    const key = this.keys.get(thumbprint);
    if (key === undefined)
      throw new CaError(plainProblem(`this worker has no account key with the thumbprint ${thumbprint}`));
    const externalAccount = this.config.ACME_EAB.find((one) => one.directoryUrl === directoryUrl);
    const registration = { contact: this.config.ACME_CONTACT, externalAccount };
    return openAccount(this.serverAt(directoryUrl), key, registration, AbortSignal.timeout(ENSURE_LIMIT_MS));
  }
}

function idOf(directoryUrl: string, thumbprint: string): string {
  return `${directoryUrl} ${thumbprint}`;
}

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
