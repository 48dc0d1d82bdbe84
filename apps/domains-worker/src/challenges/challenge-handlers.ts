import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeMethod, DnsFindings, DnsQuestionType, ExpectedDns, PreflightFindings } from '@pets/contracts';
import type { DnsCheck, DnsServer, TxtPropagation } from '@pets/dns';
import {
  errorCodeOf,
  evaluateDelegation,
  evaluateDns,
  failureText,
  isSameAddress,
  shownAddresses,
} from '@pets/domains';
import { requestChallenge, type Logger } from '@pets/platform';
import { CaError, plainProblem, problemType } from '../certificate-authority/ca-problem.js';
import type { Config } from '../config.js';
import { CONFIG, LOG } from '../providers.js';
import { ChallengeDns, type ChallengeRecords } from './challenge-dns.js';

/** Facts by which a preflight decides whether a challenge can succeed. */
export interface ChallengeContext {
  readonly expected: ExpectedDns;
  readonly dns: DnsFindings;
  readonly check: DnsCheck;
  /** Thumbprint (RFC 7638) of the key that orders. */
  readonly thumbprint: string;
}

/** The findings of a method's own checks. */
type ChallengeFindings = Pick<PreflightFindings, 'reachability' | 'challengeError'> & {
  readonly passed: boolean;
};

/**
 * One way to show a CA that we control a name. To add a method, add its name to `challengeMethods` in contracts, write its
 * handler here, and add it to `ChallengeHandlers`.
 */
export interface ChallengeHandler {
  readonly method: ChallengeMethod;
  /** Whether the records of the name are those that the method needs. Pure. */
  isPossible(dns: DnsFindings, expected: ExpectedDns): boolean;
  /** Checks what else the challenge needs, so that no order is made that is bound to fail. Never throws for a failed check. */
  check(context: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings>;
  /**
   * Makes the answers to challenges visible to the CA.
   * @param keyAuthorizations of all open challenges of the order (RFC 8555 §8.1); there may be several for one name
   * @returns removes the answers; called once, also after a failure or an abort. It never throws.
   * @throws CaError when the answers are not visible; then nothing is left to remove
   */
  publish(
    expected: ExpectedDns,
    keyAuthorizations: readonly string[],
    signal: AbortSignal,
  ): Promise<() => Promise<void>>;
}

/** RFC 8555 §8.3. Nothing is published for an order: edges answer every token of a host that answers challenges. */
@Injectable()
export class Http01 implements ChallengeHandler {
  readonly method = 'http-01';

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'HTTP01_PORT'>) {}

  isPossible(dns: DnsFindings, expected: ExpectedDns): boolean {
    return evaluateDns(dns, expected).kind === 'matches';
  }

  async check({ expected, dns, check, thumbprint }: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings> {
    const shown = shownAddresses(dns, expected.name, expected.addresses) ?? [];
    const path = { port: this.config.HTTP01_PORT, thumbprint, isShownByZone: hasZoneAnswered(dns, expected), shown };
    const reachability = await tryChallengePath(check.resolvers, expected, path, signal);
    return { passed: isReachable(reachability), reachability, challengeError: null };
  }

  publish(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }
}

function hasZoneAnswered({ lookups }: DnsFindings, { name }: ExpectedDns): boolean {
  return lookups.some((lookup) => lookup.isAuthoritative && lookup.name === name && lookup.answer.kind !== 'failed');
}

/** The removal has a limit of its own: the signal of an aborted job would prevent it. The job's lease is longer by more. */
const REMOVAL_LIMIT_MS = 5_000;

/**
 * RFC 8555 §8.4, with the answers in our own zone: the name is a CNAME to the target of its domain, and the CA follows it.
 * The answers are removed after the challenge, whatever its result. If this process dies before, the next attempt of the
 * domain removes them, or the first check after its removal.
 */
@Injectable()
export class Dns01 implements ChallengeHandler {
  readonly method = 'dns-01';

  constructor(
    private readonly challenges: ChallengeDns,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  isPossible(dns: DnsFindings, { delegation }: ExpectedDns): boolean {
    return delegation !== null && evaluateDelegation(dns, delegation).kind === 'delegated';
  }

  /** A signed update without changes: the name server answers, knows the key, and serves the zone. */
  async check({ expected }: ChallengeContext, signal: AbortSignal): Promise<ChallengeFindings> {
    try {
      await this.challenges.remove({ name: targetOf(expected), values: [] }, signal);
      return { passed: true, reachability: [], challengeError: null };
    } catch (error) {
      signal.throwIfAborted();
      this.log.error({ err: error }, 'challenge zone takes no updates; nothing ordered by DNS-01');
      return { passed: false, reachability: [], challengeError: failureText(error) };
    }
  }

  async publish(
    expected: ExpectedDns,
    keyAuthorizations: readonly string[],
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const records = { name: targetOf(expected), values: keyAuthorizations.map(valueOf) };
    try {
      const propagation = await this.challenges.publish(records, signal);
      const problem = problemOf(propagation);
      if (problem === null) return () => this.remove(records);
      throw new CaError({ ...plainProblem(problem), type: problemType.challengeNotPublished });
    } catch (error) {
      await this.remove(records);
      if (signal.aborted || error instanceof CaError) throw error;
      throw new CaError({ ...plainProblem(failureText(error)), type: problemType.challengeNotPublished });
    }
  }

  private async remove(records: ChallengeRecords): Promise<void> {
    try {
      await this.challenges.remove(records, AbortSignal.timeout(REMOVAL_LIMIT_MS));
    } catch (error) {
      this.log.warn({ err: error, name: records.name }, 'answers to challenges not removed');
    }
  }
}

function targetOf({ name, delegation }: ExpectedDns): string {
  if (delegation === null) throw new Error(`the challenges of ${name} are not delegated`);
  return delegation.target;
}

function valueOf(keyAuthorization: string): string {
  return createHash('sha256').update(keyAuthorization).digest('base64url');
}

function problemOf(propagation: TxtPropagation): string | null {
  switch (propagation.kind) {
    case 'complete':
      return null;
    case 'incomplete':
      return `not all name servers of the zone have the answer: ${propagation.lacking.map(({ server }) => server).join(', ')}`;
    case 'no_servers':
      return propagation.error;
  }
}

/** The methods that this worker knows. */
@Injectable()
export class ChallengeHandlers {
  private readonly known: readonly ChallengeHandler[];

  constructor(http01: Http01, dns01: Dns01) {
    this.known = [http01, dns01];
  }

  /** The handlers of some methods, in their order, without those that an API of a later version names. */
  of(methods: readonly ChallengeMethod[]): readonly ChallengeHandler[] {
    return methods.flatMap((method) => this.known.filter((handler) => handler.method === method));
  }
}

/** The result of the HTTP-01 path for each address. */
type Reachability = PreflightFindings['reachability'];

interface ChallengePath {
  readonly port: number;
  /** Edges answer any token with `<token>.<thumbprint>`. */
  readonly thumbprint: string;
  /**
   * Whether the zone's own servers have shown that the name leads to our target. The CA asks these too, so cached answers of
   * resolvers do not matter, and the addresses of the name are those of the target.
   */
  readonly isShownByZone?: boolean;
  /** The listed addresses that it shows, where it shows addresses instead of a CNAME: the CA goes to these alone. */
  readonly shown?: readonly string[];
}

const RESPONSE_LIMIT_MS = 3_000;

/**
 * Requests a challenge as the CA will, at every address of the name: CAs prefer IPv6 and do not fall back after a wrong answer
 * there. Requests go only to addresses of our own target and to listed ones, since the owner of a name must not choose where
 * this process connects to.
 */
export async function tryChallengePath(
  servers: readonly DnsServer[],
  { name, targetHost, addresses: listed }: ExpectedDns,
  path: ChallengePath,
  signal: AbortSignal,
): Promise<Reachability> {
  const { isShownByZone = false, shown = [] } = path;
  const [found, answered] = await Promise.all([
    isShownByZone ? shown : addressesOf(servers, name),
    addressesOf(servers, targetHost),
  ]);
  const ours = [...listed, ...answered];
  const addresses = isShownByZone && shown.length === 0 ? answered : found;
  if (addresses.length === 0) return [{ address: name, error: 'no address found' }];
  return Promise.all(
    addresses.map(async (address) => ({
      address,
      error: ours.some((one) => isSameAddress(one, address))
        ? await tryAddress(address, name, path, signal)
        : `is not an address of ${targetHost}`,
    })),
  );
}

/** Errors of a machine without a route to the address (often IPv6), which say nothing about the CA. */
const noRouteCodes = ['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** Whether at least one address answered, and none answered wrongly. */
export function isReachable(reachability: Reachability): boolean {
  const tried = reachability.filter(({ error }) => error === null || !noRouteCodes.includes(error));
  return tried.length > 0 && tried.every(({ error }) => error === null);
}

async function addressesOf(servers: readonly DnsServer[], host: string): Promise<string[]> {
  const types: DnsQuestionType[] = ['A', 'AAAA'];
  const lookups = await Promise.all(servers.flatMap((server) => types.map((type) => server.query(host, type))));
  const found = lookups.flatMap(({ answer }) => (answer.kind === 'found' ? answer.records : []));
  return [...new Set(found.map(({ value }) => value))];
}

/** Null after the expected answer, else the difference. */
async function tryAddress(
  address: string,
  host: string,
  { port, thumbprint }: ChallengePath,
  signal: AbortSignal,
): Promise<string | null> {
  const limit = AbortSignal.timeout(RESPONSE_LIMIT_MS);
  try {
    const asked = { address, port, host, thumbprint };
    const { status, isRight } = await requestChallenge(asked, AbortSignal.any([signal, limit]));
    if (status !== 200) return `answered with status ${status}`;
    return isRight ? null : 'answered with another text: the request did not reach our edges';
  } catch (error) {
    if (limit.aborted) return `no answer within ${RESPONSE_LIMIT_MS} ms`;
    return errorCodeOf(error) ?? failureText(error);
  }
}
