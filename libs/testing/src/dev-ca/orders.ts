import { randomBytes } from 'node:crypto';
import { certificateIdentifier, suggestedWindow, type Window } from './x509.js';
import { thumbprint, type Jwk } from './jws.js';
import { Problem, type ProblemDocument } from './problem.js';

const DAY_SECONDS = 86_400;

/** Profiles to order by (draft-ietf-acme-profiles), after those of the CA that most certificates come from. */
export const profiles = {
  classic: {
    text: '90 days, with a common name: what is issued without a profile',
    validitySeconds: 90 * DAY_SECONDS,
    hasCommonName: true,
  },
  tlsserver: { text: '45 days, for TLS servers alone', validitySeconds: 45 * DAY_SECONDS, hasCommonName: false },
  shortlived: { text: '160 hours', validitySeconds: 160 * 3_600, hasCommonName: false },
} as const satisfies Record<string, { text: string; validitySeconds: number; hasCommonName: boolean }>;

type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[]; // the keys of a literal

/** Profile of an order that names none. */
const DEFAULT_PROFILE: ProfileName = 'classic';

/** draft-ietf-acme-profiles §4: a profile that is not advertised is refused. */
export function chooseProfile(wanted: string | undefined): ProfileName {
  if (wanted === undefined) return DEFAULT_PROFILE;
  const found = profileNames.find((name) => name === wanted);
  if (!found) throw new Problem('invalidProfile', `there is no profile ${JSON.stringify(wanted)}`);
  return found;
}

export type Account = {
  readonly id: string;
  readonly jwk: Jwk;
  readonly thumbprint: string;
  status: 'valid' | 'deactivated';
  contact: readonly string[];
};

/** The ways to prove control of a name, in the order in which they are offered. */
const challengeTypes = ['http-01', 'dns-01'] as const;

export type Challenge = {
  readonly id: string;
  readonly type: (typeof challengeTypes)[number];
  readonly token: string;
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  validatedAt?: Date;
  error?: ProblemDocument;
};

export type Authorization = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly challenges: readonly Challenge[];
};

export type Order = {
  readonly id: string;
  readonly accountId: string;
  readonly names: readonly string[];
  readonly expiresAt: Date;
  readonly authorizations: readonly Authorization[];
  readonly profile: ProfileName;
  /** RFC 9773 identifier of the certificate that it is to replace. */
  readonly replaces: string | undefined;
  /** The client has sent its request for the certificate. */
  isFinalized: boolean;
  /** Issues the certificate before its delay is over. */
  finish?: () => Promise<void>;
  certificate?: { readonly id: string; readonly chainPem: string };
};

/** A certificate as renewal and revocation see it. */
export type Issued = {
  readonly accountId: string;
  readonly names: readonly string[];
  window: Window;
  /** The order that was let in as its replacement. */
  replacedBy?: Order;
  revoked?: { readonly reason: number; readonly at: Date };
};

export function isWildcard(name: string): boolean {
  return name.startsWith('*.');
}

/** RFC 8555 §7.1.3: where control of a wildcard is proven. */
export function baseOf(name: string): string {
  return isWildcard(name) ? name.slice(2) : name;
}

export type OrderStatus = 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';

const ORDER_LIFETIME_MS = 7 * 86_400_000;

/** An order's state follows from its authorizations (RFC 8555 §7.1.6) and is never stored. */
export function orderStatus(order: Order): OrderStatus {
  if (order.certificate) return 'valid';
  if (order.isFinalized) return 'processing';
  const states = order.authorizations.map(authorizationStatus);
  if (states.includes('invalid')) return 'invalid';
  return states.every((state) => state === 'valid') ? 'ready' : 'pending';
}

/** RFC 8555 §7.1.6: one challenge decides, and the authorization is pending for as long as it is being looked at. */
export function authorizationStatus({ challenges }: Authorization): 'pending' | 'valid' | 'invalid' {
  const states = challenges.map(({ status }) => status);
  if (states.includes('valid')) return 'valid';
  return states.includes('invalid') ? 'invalid' : 'pending';
}

/**
 * Accounts, orders and authorizations, in memory: a restart forgets them, as a test CA may, and a client that comes
 * back with its old account gets accountDoesNotExist. Another account's things answer as missing ones.
 */
export class AcmeStore {
  readonly #accounts = new Map<string, Account>();
  readonly #accountIdByThumbprint = new Map<string, string>();
  readonly #orders = new Map<string, Order>();
  readonly #authorizations = new Map<string, Authorization>();
  /** Authorization ids by the id of a challenge. */
  readonly #authorizationIds = new Map<string, string>();
  readonly #orderIdByCertificate = new Map<string, string>();
  /** Certificates by RFC 9773 identifier. */
  readonly #issued = new Map<string, Issued>();

  account(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  accountOf(jwk: Jwk): Account | undefined {
    return this.#accounts.get(this.#accountIdByThumbprint.get(thumbprint(jwk)) ?? '');
  }

  /** @throws Problem when the external account key is another account's */
  createAccount(jwk: Jwk, contact: readonly string[]): Account {
    const account: Account = { id: newId(), jwk, thumbprint: thumbprint(jwk), status: 'valid', contact };
    this.#accounts.set(account.id, account);
    this.#accountIdByThumbprint.set(account.thumbprint, account.id);
    return account;
  }

  createOrder(
    account: Account,
    { names, profile, replaces }: Pick<Order, 'names' | 'profile' | 'replaces'>,
    now: Date,
  ): Order {
    const expiresAt = new Date(now.getTime() + ORDER_LIFETIME_MS);
    const authorizations = names.map((name): Authorization => {
      // Nothing that is shown at one name proves the control of all names below another.
      const offered = challengeTypes.filter((type) => type === 'dns-01' || !isWildcard(name));
      const challenges = offered.map((type): Challenge => {
        return { id: newId(), type, token: randomBytes(32).toString('base64url'), status: 'pending' };
      });
      return { id: newId(), accountId: account.id, name, expiresAt, challenges };
    });
    const id = newId();
    const order: Order = {
      id,
      accountId: account.id,
      names,
      expiresAt,
      authorizations,
      profile,
      replaces,
      isFinalized: false,
    };
    for (const authorization of authorizations) {
      this.#authorizations.set(authorization.id, authorization);
      for (const challenge of authorization.challenges) this.#authorizationIds.set(challenge.id, authorization.id);
    }
    this.#orders.set(order.id, order);
    return order;
  }

  /** The orders of a name, the oldest first, for the control. */
  ordersOf(name: string | null): readonly Pick<Order, 'isFinalized'>[] {
    const orders = [...this.#orders.values()].filter(({ names }) => name !== null && names.includes(name));
    return orders.map(({ isFinalized }) => ({ isFinalized }));
  }

  /** Issues the certificates of the finalized orders of a name that wait for a delay. */
  async finish(name: string): Promise<void> {
    for (const { names, finish } of this.#orders.values()) if (names.includes(name)) await finish?.();
  }

  order(id: string, account: Account): Order {
    return owned(this.#orders.get(id), account, 'order');
  }

  authorization(id: string, account: Account): Authorization {
    return owned(this.#authorizations.get(id), account, 'authorization');
  }

  /** A challenge with its authorization. */
  challenge(id: string, account: Account): { authorization: Authorization; challenge: Challenge } {
    const authorizationId = this.#authorizationIds.get(id) ?? '';
    const authorization = owned(this.#authorizations.get(authorizationId), account, 'challenge');
    const challenge = authorization.challenges.find((one) => one.id === id);
    if (!challenge) throw new Problem('malformed', 'there is no such challenge', { status: 404 });
    return { authorization, challenge };
  }

  saveCertificate(order: Order, chainPem: string): void {
    order.certificate = { id: newId(), chainPem };
    this.#orderIdByCertificate.set(order.certificate.id, order.id);
    const { accountId, names } = order;
    this.#issued.set(certificateIdentifier(chainPem), { accountId, names, window: suggestedWindow(chainPem) });
  }

  issued(identifier: string): Issued | undefined {
    return this.#issued.get(identifier);
  }

  allIssued(): readonly Issued[] {
    return [...this.#issued.values()];
  }

  certificate(id: string, account: Account): string {
    const order = owned(this.#orders.get(this.#orderIdByCertificate.get(id) ?? ''), account, 'certificate');
    return order.certificate?.chainPem ?? '';
  }
}

function owned<T extends { accountId: string }>(thing: T | undefined, account: Account, what: string): T {
  if (thing?.accountId !== account.id) throw new Problem('malformed', `there is no such ${what}`, { status: 404 });
  return thing;
}

function newId(): string {
  return randomBytes(12).toString('base64url');
}
