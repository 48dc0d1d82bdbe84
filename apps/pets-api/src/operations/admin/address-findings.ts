/**
 * Checks that this platform answers at its public addresses. A route with a random value goes through the feed to the edges, is
 * requested at each address as a challenge, and is taken out again: only our edges can know the value.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { pause, withTimeout } from '@pets/async';
import { errorCodeOf, failureText, isPublicAddress, isSameAddress, type PublicAddress } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { requestChallenge } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeFeedRepository, REACHABLE_SECONDS, seenWithin } from '../../edge/edge-feed.repository.js';
import { PublicAddressesRepository } from '../../names/public-addresses.js';
import type { AdminContext, Finding } from './command.js';

const LIMIT_MS = 5_000;
const POLL_MS = 100;
const PREFIX = 'address-check-';
const SETTING = 'PUBLIC_ADDRESSES';

/** Port and resolver that the check uses. */
export interface AddressCheck {
  /** Port of plain HTTP at the addresses. */
  readonly port: number;
  /** The addresses of a host, as resolvers return them; empty without any. @throws when they do not answer */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

const publicInternet: AddressCheck = { port: 80, resolve: resolveAddresses };

/** Finds faults in the list of public addresses; none in development without a list. */
export async function findAddressFaults(
  { db, config }: AdminContext,
  check: AddressCheck = publicInternet,
): Promise<Finding[]> {
  const { ENVIRONMENT, PLATFORM_DOMAIN: platform } = config;
  if (platform === undefined) return [];
  let listed: readonly PublicAddress[];
  try {
    listed = await withTimeout(new PublicAddressesRepository(db).list(), LIMIT_MS, 'reading the public addresses');
  } catch {
    const problem = 'The database does not answer, so the public addresses were not checked.';
    return [
      warning(problem, 'Run this command where the database can be reached, after its migration.', 'DATABASE_URL'),
    ];
  }
  if (listed.length === 0) return ENVIRONMENT === 'development' ? [] : [unlisted()];
  const host = `${PREFIX}${randomBytes(8).toString('hex')}.cname.${platform}`;
  return [
    ...(await findUnanswered(db, listed, { host, port: check.port })),
    ...(await compareWithResolvers(listed, host, check)),
    ...(await compareWithEdges(db, listed)),
  ];
}

function unlisted(): Finding {
  const problem =
    'No public addresses are listed: owners of an apex whose DNS provider has no ALIAS get no record that they can create.';
  return warning(problem, `List them with \`addresses add\`, or set ${SETTING} before the first start.`);
}

/** Addresses that do not answer as our edges do. Names match by retiring ones as well. */
async function findUnanswered(
  db: Database,
  listed: readonly PublicAddress[],
  at: { readonly host: string; readonly port: number },
): Promise<Finding[]> {
  const nonce = randomBytes(32).toString('base64url');
  const version = await publish(db, at.host, nonce);
  if (version === null)
    return [
      warning('There is no project yet, so requests to the addresses were not tried.', 'Run this command again later.'),
    ];
  try {
    await untilKnown(db, version);
    const results = await Promise.all(
      listed.map(async (one) => ({ ...one, problem: await probeAddress(one.address, { ...at, nonce }) })),
    );
    return results.flatMap((one) => (one.problem === null ? [] : [unanswered(one, one.problem)]));
  } finally {
    await withdraw(db);
  }
}

function unanswered({ address, retiringSince }: PublicAddress, problem: string): Finding {
  const action = `Let ${address}, port 80, lead to the edges of this platform alone`;
  if (retiringSince === null)
    return error(
      `${address} ${problem}, where an edge of this platform has to answer.`,
      `${action}, or retire it: \`addresses retire --address ${address}\`.`,
    );
  return warning(
    `${address} ${problem}. It is retiring, and names that show it still match.`,
    `${action} until no domain shows it, and then remove it: \`addresses remove --address ${address}\`.`,
  );
}

/** Routes belong to projects: that of the check to any. Its host is none that a project compiles. */
async function publish(db: Database, host: string, nonce: string): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    const project = await tx.selectFrom('projects').select('id').limit(1).executeTakeFirst();
    if (project === undefined) return null;
    const route = { answersChallenges: true, challengeThumbprint: nonce, serve: null, certificateId: null };
    return new EdgeFeedRepository(db).publish(
      tx,
      new Map([[host, { projectId: project.id, route, traceParent: null }]]),
    );
  });
}

/** Ends the route, and those of checks that were interrupted. */
async function withdraw(db: Database): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const routes = await tx
      .selectFrom('edge_routes')
      .select(['host', 'project_id as projectId'])
      .where(sql<boolean>`host collate "C" >= ${PREFIX} and host collate "C" < ${`${PREFIX}g`}`)
      .where('route', 'is not', null)
      .execute();
    const ended = routes.map(({ host, projectId }) => [host, { projectId, route: null, traceParent: null }] as const);
    if (ended.length > 0) await new EdgeFeedRepository(db).publish(tx, new Map(ended));
  });
}

async function untilKnown(db: Database, version: number): Promise<void> {
  const feed = new EdgeFeedRepository(db);
  const untilMs = performance.now() + LIMIT_MS;
  while (performance.now() < untilMs && (await feed.countPending(version, REACHABLE_SECONDS)) > 0) await pause(POLL_MS);
}

async function compareWithResolvers(
  listed: readonly PublicAddress[],
  host: string,
  { resolve }: AddressCheck,
): Promise<Finding[]> {
  let answered: readonly string[];
  try {
    answered = await resolve(host);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    return [
      warning(`The addresses of ${host} could not be resolved: ${reason}.`, 'Check the DNS of the platform domain.'),
    ];
  }
  const unlistedOnes = answered.filter((address) => !isListed(address, listed));
  const isAnswered = (address: string) => answered.some((other) => isSameAddress(address, other));
  return [
    ...unlistedOnes.map((address) =>
      error(
        `Resolvers return ${address} for CNAME targets, and it is not listed.`,
        `List it if it is yours (\`addresses add --address ${address}\`), or take it out of the DNS of ${host.slice(host.indexOf('.') + 1)}.`,
      ),
    ),
    ...listed.flatMap(({ address, retiringSince }) => {
      if (retiringSince === null && !isAnswered(address))
        return [
          warning(
            `Resolvers do not return ${address} for CNAME targets from here. That is right with DNS by region or rotation.`,
            'Otherwise add it to the DNS of the platform domain, or retire it.',
          ),
        ];
      if (retiringSince !== null && isAnswered(address))
        return [
          warning(
            `Resolvers return ${address} for CNAME targets, and it is retiring: names that follow them are not warned.`,
            'Take it out of the DNS of the platform domain.',
          ),
        ];
      return [];
    }),
  ];
}

/** Edges in private networks say nothing about the addresses of their load balancer. */
async function compareWithEdges(db: Database, listed: readonly PublicAddress[]): Promise<Finding[]> {
  const edges = await db
    .selectFrom('edges')
    .select(['id', 'http_address', 'https_address'])
    .where(seenWithin(REACHABLE_SECONDS))
    .execute();
  return edges.flatMap(({ id, http_address: http, https_address: https }) =>
    [...new Set([http, https].map(hostOf))]
      .filter((address) => isPublicAddress(address) && !isListed(address, listed))
      .map((address) =>
        warning(
          `The edge ${id} has the address ${address}, which is not listed.`,
          'List it if visitors reach it there.',
        ),
      ),
  );
}

/** Host of `host:port`, where an IPv6 address has brackets. */
function hostOf(address: string): string {
  const host = address.slice(0, address.lastIndexOf(':')).replaceAll(/[[\]]/g, '');
  return isIP(host) === 0 ? '' : host;
}

async function resolveAddresses(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: LIMIT_MS, tries: 1 });
  const answers = await Promise.all([resolver.resolve4(host).catch(orNone), resolver.resolve6(host).catch(orNone)]);
  return answers.flat();
}

/** An answer that there is no address is an answer. */
function orNone(failure: NodeJS.ErrnoException): string[] {
  if (failure.code === 'ENODATA' || failure.code === 'ENOTFOUND') return [];
  throw failure;
}

function isListed(address: string, listed: readonly PublicAddress[]): boolean {
  return listed.some((one) => isSameAddress(one.address, address));
}

function error(problem: string, action: string): Finding {
  return { name: SETTING, severity: 'error', problem, action };
}

function warning(problem: string, action: string, name = SETTING): Finding {
  return { name, severity: 'warning', problem, action };
}

const PROBE_LIMIT_MS = 5_000;

/**
 * Asks an address for a challenge of a host that only our edges know, with a value that only they can have.
 * @returns what is wrong; null after the right answer
 */
async function probeAddress(
  address: string,
  { host, nonce, port }: { readonly host: string; readonly nonce: string; readonly port: number },
): Promise<string | null> {
  const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
  try {
    const { status, isRight } = await requestChallenge({ address, port, host, thumbprint: nonce }, signal);
    if (status !== 200) return `answers with status ${status}`;
    return isRight ? null : 'answers with another text';
  } catch (error) {
    const reason = signal.aborted ? `nothing came within ${PROBE_LIMIT_MS} ms` : undefined;
    return `does not answer: ${reason ?? errorCodeOf(error) ?? failureText(error)}`;
  }
}
