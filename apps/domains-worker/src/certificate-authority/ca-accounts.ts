import { Inject, Injectable } from '@nestjs/common';
import { abortable } from '@pets/async';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { AcmeAccount, openAccount } from './acme-account.js';
import { thumbprintOf } from './acme-jws.js';
import { AcmeServer } from './acme-server.js';

/** Our account at one CA. */
export interface CaAccount {
  readonly directoryUrl: string;
  readonly accountUrl: string;
  /** Names of the CA in CAA records. */
  readonly caaIdentities: readonly string[];
  readonly client: AcmeAccount;
}

/** A registration takes three or four requests. */
const ENSURE_LIMIT_MS = 15_000;

/** The accounts of the account key, one for each CA, opened on first use. */
@Injectable()
export class CaAccounts {
  private readonly servers = new Map<string, AcmeServer>();
  private readonly accounts = new Map<string, Promise<AcmeAccount>>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** RFC 7638 thumbprint of the account key, the second half of every HTTP-01 response. */
  get thumbprint(): string {
    return thumbprintOf(this.config.ACME_ACCOUNT_KEY);
  }

  /** The CA, for requests without an account. */
  serverAt(directoryUrl: string): AcmeServer {
    const server = this.servers.get(directoryUrl) ?? new AcmeServer(directoryUrl, this.config.ACME_ACCOUNT_KEY);
    this.servers.set(directoryUrl, server);
    return server;
  }

  /** Jobs that need the same account share one registration. The signal ends only the wait for it. */
  async ensure(directoryUrl: string, signal: AbortSignal): Promise<CaAccount> {
    const client = await abortable(this.account(directoryUrl), signal);
    const { caaIdentities = [] } = await this.serverAt(directoryUrl).directory(signal);
    return {
      directoryUrl,
      accountUrl: client.url,
      caaIdentities: caaIdentities.length > 0 ? caaIdentities : this.config.ACME_CAA_IDENTITIES,
      client,
    };
  }

  /** For a CA that does not know the account any more: the next `ensure` starts again with the directory. */
  forget(directoryUrl: string): void {
    this.accounts.delete(directoryUrl);
    this.servers.delete(directoryUrl);
  }

  private account(directoryUrl: string): Promise<AcmeAccount> {
    const known = this.accounts.get(directoryUrl);
    if (known !== undefined) return known;
    const opening = this.open(directoryUrl);
    this.accounts.set(directoryUrl, opening);
    opening.catch(() => this.accounts.delete(directoryUrl));
    return opening;
  }

  private async open(directoryUrl: string): Promise<AcmeAccount> {
    const server = this.serverAt(directoryUrl);
    const externalAccount = this.config.ACME_EAB.find((account) => account.directoryUrl === directoryUrl);
    const registration = { contact: this.config.ACME_CONTACT, externalAccount };
    return new AcmeAccount(server, await openAccount(server, registration, AbortSignal.timeout(ENSURE_LIMIT_MS)));
  }
}
