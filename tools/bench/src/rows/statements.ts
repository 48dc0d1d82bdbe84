import { join } from 'node:path';
import { built, PLATFORM_DOMAIN } from '@pets/lab';
import { repositoryRoot } from '@pets/testing/processes';
import type { Database, Tx } from '@pets/persistence';
import { median } from '../figure.js';
import { DIRECTORY } from './fill.js';

/** A statement of pets-api, as it is built. */
export interface MeasuredStatement {
  readonly name: string;
  /** The most that its median may take. */
  readonly limitMs?: number;
  /** Whether it reads as much with a tenth of the rows, so that it must not grow. */
  readonly isFlat: boolean;
  readonly run: (tx: Tx) => Promise<unknown>;
}

interface Executable {
  execute(db: Database): Promise<unknown>;
}

/** A limit of a CA, as `libs/domains` defines it. */
interface CaLimit {
  readonly kind: string;
}

export interface Modules {
  readonly claims: {
    claimStatement(shares: readonly Share[]): Executable;
    discoverStatement(kind: string, position: unknown, limit: number): Executable;
    readonly firstPosition: unknown;
  };
  readonly queues: { DueQueues: new () => Queues };
  readonly dueWork: { DueWorkRepository: new (db: Database, queues: Queues) => DueWork };
  readonly projects: { ProjectsRepository: new (db: Database) => Projects };
  readonly lists: { DomainListsRepository: new (db: Database) => Lists };
  readonly publisher: {
    FeedRoutePublisher: new (config: object, feed: unknown, routable: unknown, suspensions: unknown) => Publisher;
  };
  readonly feed: { EdgeFeedRepository: new (db: Database) => unknown };
  readonly routable: { RoutableProjectsRepository: new (db: Database) => unknown };
  readonly suspensions: { SuspensionsRepository: new (db: Database) => unknown };
  readonly history: { DomainHistoryRepository: new (db: Database) => History };
  readonly certificates: { CertificatesRepository: new (db: Database) => Certificates };
  readonly usage: {
    CaUsageRepository: new () => Usage;
    fullAtStatement(directory: string, limit: CaLimit, now: Date): Executable;
  };
  readonly unused: {
    unissuedStatement(before: Date, limit: number): Executable;
    unusedPageStatement(source: string, start: string, before: Date, limit: number): Executable;
  };
  readonly readings: {
    readonly domainCountsStatement: Executable;
  };
  readonly certificateReadings: {
    certificatesPageStatement(after: string, limit: number): Executable;
  };
  readonly domains: { knownCaLimits(directory: string): readonly CaLimit[] };
}
/** The part that a claim takes of the due rows of one organization. */
type Share = object;
interface Queues {
  lane(name: string): { next(limit: number, now: Date): readonly Share[] };
}
interface DueWork {
  discover(signal: AbortSignal): Promise<void>;
}
interface Projects {
  lock(tx: Tx, id: string): Promise<unknown>;
}
interface Lists {
  findPage(
    scope: object,
    filters: object,
    page: { limit: number; afterId: string },
  ): Promise<{ ids: readonly string[] }>;
}
interface Publisher {
  publish(tx: Tx, changes: readonly { project: unknown; names: readonly string[] }[]): Promise<number | null>;
}
interface History {
  list(of: { projectId: string }, page: { limit: number; afterId: string }): Promise<unknown>;
}
interface Certificates {
  findNewest(domainIds: readonly string[], db: Database): Promise<unknown>;
}
interface Usage {
  findHighestUse(db: Database, directory: string, limits: readonly CaLimit[], now: Date): Promise<unknown>;
}

/** Rows of the fill that are measured. */
export interface Sample {
  readonly projectId: string;
  readonly domainIds: readonly string[];
  readonly large: SampleProject;
  readonly crowded: SampleProject;
}

/** A project of the fill, and one of its names. */
interface SampleProject {
  readonly id: string;
  readonly name: string;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
const READING_MS = 200;
const CLAIMED = 20;
const DISCOVERED = 500;

/** The statements that run often, or whose tables grow for ever. */
export async function measuredStatements(db: Database, sample: Sample): Promise<readonly MeasuredStatement[]> {
  const modules = await loadModules();
  const { history, certificates, usage, unused, readings, certificateReadings, domains } = modules;
  const limits = domains.knownCaLimits(DIRECTORY);
  const orders = limits.find(({ kind }) => kind === 'orders');
  if (orders === undefined) throw new Error('the CA has no limit of orders');
  const now = new Date();
  const yesterday = new Date(now.getTime() - DAY_MS);
  const lastWeek = new Date(now.getTime() - 7 * DAY_MS).toISOString();
  const statement = (executable: Executable) => (tx: Tx) => executable.execute(tx);
  return [
    await measuredClaim(db, modules),
    measuredDiscovery(modules),
    {
      ...{ name: 'history-page', isFlat: true },
      run: (tx) =>
        new history.DomainHistoryRepository(tx).list({ projectId: sample.projectId }, { limit: 50, afterId: '10' }),
    },
    {
      ...{ name: 'newest-certificates-128', isFlat: true },
      run: (tx) => new certificates.CertificatesRepository(tx).findNewest(sample.domainIds, tx),
    },
    { name: 'ca-orders', isFlat: true, limitMs: 5, run: statement(usage.fullAtStatement(DIRECTORY, orders, now)) },
    {
      ...{ name: 'ca-highest-use', isFlat: false, limitMs: READING_MS },
      run: (tx) => new usage.CaUsageRepository().findHighestUse(tx, DIRECTORY, limits, now),
    },
    {
      ...{ name: 'unused-keys-500', isFlat: true, limitMs: 50 },
      run: statement(unused.unusedPageStatement('replaced', lastWeek, yesterday, 500)),
    },
    {
      ...{ name: 'unissued-keys-500', isFlat: true, limitMs: 50 },
      run: statement(unused.unissuedStatement(yesterday, 500)),
    },
    { name: 'domain-counts', isFlat: false, limitMs: READING_MS, run: statement(readings.domainCountsStatement) },
    {
      ...{ name: 'certificates-page', isFlat: true, limitMs: READING_MS },
      run: statement(certificateReadings.certificatesPageStatement(FIRST_ID, 10_000)),
    },
    {
      ...{ name: 'list-25-beside-50000-removed', isFlat: true, limitMs: 2 },
      run: (tx) => list(modules, tx, sample.crowded),
    },
    { name: 'publish-one-of-10000', isFlat: true, limitMs: 5, run: (tx) => publish(modules, tx, sample.large) },
    {
      ...{ name: 'publish-one-beside-50000-removed', isFlat: true, limitMs: 5 },
      run: (tx) => publish(modules, tx, sample.crowded),
    },
  ];
}

/** A claim of a process that has discovered the due work. */
export async function measuredClaim(
  db: Database,
  { claims, queues, dueWork }: Modules,
): Promise<MeasuredStatement & { readonly limitMs: number }> {
  const known = new queues.DueQueues();
  await new dueWork.DueWorkRepository(db, known).discover(new AbortController().signal);
  const shares = known.lane('checks').next(CLAIMED, new Date());
  if (shares.length === 0) throw new Error('nothing is due');
  return {
    ...{ name: `claim-${CLAIMED}`, isFlat: true, limitMs: 10 },
    run: (tx) => claims.claimStatement(shares).execute(tx),
  };
}

/** Looks up when the first row of each of 500 organizations is due. */
export function measuredDiscovery({ claims }: Modules): MeasuredStatement {
  const statement = claims.discoverStatement('dns', claims.firstPosition, DISCOVERED);
  return { name: `discover-${DISCOVERED}`, isFlat: false, run: (tx) => statement.execute(tx) };
}

async function list({ lists }: Modules, tx: Tx, { id: projectId }: SampleProject): Promise<void> {
  const scope = { organizationId: '', projectId };
  const { ids } = await new lists.DomainListsRepository(tx).findPage(scope, {}, { limit: 25, afterId: '0' });
  if (ids.length === 0) throw new Error('nothing was listed');
}

/** The routes of the fill are not what pets-api compiles, so that there is always something to publish. */
async function publish(
  { projects, publisher, feed, routable, suspensions }: Modules,
  tx: Tx,
  { id, name }: SampleProject,
): Promise<void> {
  const project = await new projects.ProjectsRepository(tx).lock(tx, id);
  const version = await new publisher.FeedRoutePublisher(
    { PLATFORM_DOMAIN },
    new feed.EdgeFeedRepository(tx),
    new routable.RoutableProjectsRepository(tx),
    new suspensions.SuspensionsRepository(tx),
  ).publish(tx, [{ project, names: [name] }]);
  if (version === null) throw new Error('nothing was published');
}

export async function loadModules(): Promise<Modules> {
  const of = (file: string): Promise<unknown> => import(built('pets-api', file));
  return {
    claims: await of('schedule/claim.query.js'),
    queues: await of('schedule/due-work.repository.js'),
    dueWork: await of('schedule/due-work.repository.js'),
    history: await of('names/domain-history.repository.js'),
    certificates: await of('certificates/certificates.repository.js'),
    usage: await of('certificates/ca-usage.repository.js'),
    unused: await of('certificates/certificates.sweeper.js'),
    readings: await of('operations/monitoring/readings.repository.js'),
    certificateReadings: await of('operations/monitoring/certificate-readings.js'),
    projects: await of('projects/projects.repository.js'),
    lists: await of('domains/domain-lists.repository.js'),
    publisher: await of('edge/feed-route-publisher.js'),
    feed: await of('edge/edge-feed.repository.js'),
    routable: await of('edge/routable-projects.repository.js'),
    suspensions: await of('access/suspensions/suspensions.repository.js'),
    domains: (await import(join(repositoryRoot, 'libs/domains/dist/index.js'))) as unknown,
  } as Modules; // the sources of these files
}

const ROUNDS = 50;
const WARM_UP_ROUNDS = 3;

/** The median of some rounds, each in a transaction that is undone. @returns milliseconds */
export async function timeStatement(db: Database, { run }: Pick<MeasuredStatement, 'run'>): Promise<number> {
  const rounds: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const ms = await timeOnce(db, run);
    if (round >= 0) rounds.push(ms);
  }
  return median(rounds);
}

async function timeOnce(db: Database, run: (tx: Tx) => Promise<unknown>): Promise<number> {
  let ms = Number.NaN;
  const undone = new Error('undone');
  try {
    await db.transaction().execute(async (tx) => {
      const began = performance.now();
      await run(tx);
      ms = performance.now() - began;
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return ms;
}
