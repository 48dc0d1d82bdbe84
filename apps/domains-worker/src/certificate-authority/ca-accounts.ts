import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { abortable } from '@pets/async';
import { DEFAULT_ACCOUNT } from '@pets/contracts';
import { caAccountId, type CaAccountRef } from '@pets/domains';
import type { Config } from '../config.js';
import { CONFIG } from '../providers.js';
import { AcmeAccount, openAccount } from './acme-account.js';
import { thumbprintOf } from './acme-jws.js';
import { AcmeServer } from './acme-server.js';
import { CaError, plainProblem } from './ca-problem.js';

/** One of our accounts at a CA. */
export interface OpenAccount extends CaAccountRef {
  readonly accountUrl: string;
  /** RFC 7638 thumbprint of its key, the second half of every HTTP-01 response. */
  readonly thumbprint: string;
  /** Names of the CA in CAA records. */
  readonly caaIdentities: readonly string[];
  readonly client: AcmeAccount;
}

/** A registration takes three or four requests. */
const ENSURE_LIMIT_MS = 15_000;

/** The accounts of our keys at the CAs, opened on first use. Each has its own connection state and circuit breaker. */
@Injectable()
export class CaAccounts {
  private readonly servers = new Map<string, { readonly ref: CaAccountRef; readonly server: AcmeServer }>();
  private readonly accounts = new Map<string, Promise<AcmeAccount>>();
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.keys = new Map([...config.ACME_ACCOUNT_KEYS, [DEFAULT_ACCOUNT, config.ACME_ACCOUNT_KEY]]);
  }

  /** The CA, for requests without an account. */
  serverAt(directoryUrl: string): AcmeServer {
    return this.serverOf({ directoryUrl, account: DEFAULT_ACCOUNT });
  }

  /**
   * Jobs that need the same account share one registration. The signal ends only the wait for it.
   * @throws CaError when there is no key for the account, or the CA refuses
   */
  async ensure({ directoryUrl, account }: CaAccountRef, signal: AbortSignal): Promise<OpenAccount> {
    const ref = { directoryUrl, account };
    const server = this.serverOf(ref);
    const client = await abortable(this.client(ref), signal);
    const { caaIdentities = [] } = await server.directory(signal);
    return {
      ...ref,
      accountUrl: client.url,
      thumbprint: thumbprintOf(server.key),
      caaIdentities: caaIdentities.length > 0 ? caaIdentities : this.config.ACME_CAA_IDENTITIES,
      client,
    };
  }

  /** Every account that was used, and whether its CA has stopped to answer. */
  listSilence(): readonly (CaAccountRef & { readonly isSilent: boolean })[] {
    return [...this.servers.values()].map(({ ref, server }) => ({ ...ref, isSilent: server.isSilent }));
  }

  /** For a CA that does not know the account any more: the next `ensure` starts again with the directory. */
  forget(ref: CaAccountRef): void {
    this.accounts.delete(caAccountId(ref));
    this.servers.delete(caAccountId(ref));
  }

  private serverOf(ref: CaAccountRef): AcmeServer {
    const id = caAccountId(ref);
    const known = this.servers.get(id);
    if (known !== undefined) return known.server;
    const key = this.keys.get(ref.account);
    if (key === undefined) throw new CaError(plainProblem(`this worker has no key of the account ${ref.account}`));
    const server = new AcmeServer(ref.directoryUrl, key);
    this.servers.set(id, { ref, server });
    return server;
  }

  private client(ref: CaAccountRef): Promise<AcmeAccount> {
    const id = caAccountId(ref);
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const opening = this.open(ref);
    this.accounts.set(id, opening);
    opening.catch(() => this.accounts.delete(id));
    return opening;
  }

  private async open(ref: CaAccountRef): Promise<AcmeAccount> {
    const server = this.serverOf(ref);
    const externalAccount = this.config.ACME_EAB.find(
      ({ directoryUrl, account }) => directoryUrl === ref.directoryUrl && account === ref.account,
    );
    const registration = { contact: this.config.ACME_CONTACT, externalAccount };
    return new AcmeAccount(server, await openAccount(server, registration, AbortSignal.timeout(ENSURE_LIMIT_MS)));
  }
}
