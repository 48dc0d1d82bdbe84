import { join } from 'node:path';
import { repositoryRoot } from '@pets/dev-stack';
import type { Database, Tx } from '@pets/persistence';
import { built } from '../engine/programs.js';
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

/** Of a CA, as `libs/domains` defines it. */
interface CaLimit {
  readonly kind: string;
}

interface Modules {
  readonly claims: { claimStatement(shares: readonly unknown[]): Executable };
  readonly queues: { DueQueues: new () => Queues };
  readonly due: {
    DueWorkRepository: new (db: Database, queues: Queues) => { discover(signal: AbortSignal): Promise<void> };
  };
  readonly history: { DomainHistoryRepository: new (db: Database) => History };
  readonly certificates: { CertificatesRepository: new (db: Database) => Certificates };
  readonly attempts: {
    CertificateAttemptsRepository: new (db: Database) => Attempts;
    countStatement(directory: string, limit: CaLimit, subjects: readonly unknown[], since: Date): Executable;
  };
  readonly unused: {
    unissuedStatement(before: Date, limit: number): Executable;
    unusedPageStatement(source: string, start: string, before: Date, limit: number): Executable;
  };
  readonly readings: {
    readonly domainCountsStatement: Executable;
    certificatesPageStatement(after: string, limit: number): Executable;
  };
  readonly domains: { caLimitsOf(directory: string): readonly CaLimit[]; windowStart(limit: CaLimit, now: Date): Date };
}
interface Queues {
  lane(name: string): { next(limit: number, now: Date): readonly unknown[] };
}
interface History {
  list(of: { projectId: string }, page: { limit: number; afterId: string }): Promise<unknown>;
}
interface Certificates {
  findNewest(domainIds: readonly string[], db: Database): Promise<unknown>;
}
interface Attempts {
  findHighestUse(db: Database, directory: string, limits: readonly CaLimit[], now: Date): Promise<unknown>;
}

/** What a sample of rows must be, besides the fill. */
export interface Sample {
  readonly projectId: string;
  readonly domainIds: readonly string[];
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
const READING_MS = 200;

/** The statements that run often, or whose tables grow for ever. */
export async function measuredStatements(sample: Sample, db: Database): Promise<readonly MeasuredStatement[]> {
  const { claims, due, history, certificates, attempts, unused, readings, domains, ...modules } = await load();
  const queues = new modules.queues.DueQueues();
  await new due.DueWorkRepository(db, queues).discover(new AbortController().signal);
  const limits = domains.caLimitsOf(DIRECTORY);
  const orders = limits.find(({ kind }) => kind === 'orders');
  if (orders === undefined) throw new Error('the CA has no limit of orders');
  const now = new Date();
  const yesterday = new Date(now.getTime() - DAY_MS);
  const lastWeek = new Date(now.getTime() - 7 * DAY_MS).toISOString();
  const statement = (executable: Executable) => (tx: Tx) => executable.execute(tx);
  const ledger = attempts.countStatement(DIRECTORY, orders, [], domains.windowStart(orders, now));
  return [
    {
      ...{ name: 'claim-20', isFlat: true, limitMs: 10 },
      run: (tx) => claims.claimStatement(queues.lane('checks').next(20, new Date())).execute(tx),
    },
    {
      ...{ name: 'history-page', isFlat: true },
      run: (tx) =>
        new history.DomainHistoryRepository(tx).list({ projectId: sample.projectId }, { limit: 50, afterId: '10' }),
    },
    {
      ...{ name: 'newest-certificates-128', isFlat: true },
      run: (tx) => new certificates.CertificatesRepository(tx).findNewest(sample.domainIds, tx),
    },
    { name: 'ca-orders', isFlat: true, limitMs: 5, run: statement(ledger) },
    {
      ...{ name: 'ca-highest-use', isFlat: false, limitMs: READING_MS },
      run: (tx) => new attempts.CertificateAttemptsRepository(tx).findHighestUse(tx, DIRECTORY, limits, now),
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
      run: statement(readings.certificatesPageStatement(FIRST_ID, 10_000)),
    },
  ];
}

async function load(): Promise<Modules> {
  const of = (file: string): Promise<unknown> => import(built('pets-api', file));
  const [claims, queues, due, history, certificates, attempts, unused, readings, domains] = await Promise.all([
    of('domains/dispatch/claim.query.js'),
    of('domains/dispatch/due-queues.js'),
    of('domains/dispatch/due-work.repository.js'),
    of('domains/history/domain-history.repository.js'),
    of('domains/certificates/certificates.repository.js'),
    of('domains/certificates/certificate-attempts.repository.js'),
    of('domains/certificates/unused-keys.repository.js'),
    of('monitoring/readings.repository.js'),
    import(join(repositoryRoot, 'libs/domains/dist/index.js')) as Promise<unknown>,
  ]);
  return { claims, queues, due, history, certificates, attempts, unused, readings, domains } as Modules; // the sources of these files
}
