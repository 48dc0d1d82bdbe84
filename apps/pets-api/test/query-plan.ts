import { parseCaLimits } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { parseKeyRing } from '@pets/platform';
import { CompiledQuery, sql, type KyselyPlugin, type RawBuilder } from 'kysely';
import { CaSelectionLoader } from '../src/certificates/ca-selection-loader.js';
import { CaPausesRepository, CaUsageRepository } from '../src/certificates/ca-usage.repository.js';
import { CertificateAttemptsRepository } from '../src/certificates/certificate-attempts.repository.js';
import { CertificateAuthorities } from '../src/certificates/certificate-authorities.js';
import { CertificatesRepository } from '../src/certificates/certificates.repository.js';
import { IssuancePlans } from '../src/certificates/issuance-plans.service.js';
import { LimitedDomainsRepository } from '../src/certificates/limited-domains.repository.js';
import { OrderLines } from '../src/certificates/order-lines.js';
import { OrderQueueRepository } from '../src/certificates/order-queue.repository.js';
import { EdgeFeedRepository } from '../src/edge/edge-feed.repository.js';

/** Runs a statement. @returns the scans of its plan */
export async function explainScans(db: Database, statement: RawBuilder<unknown>): Promise<PlanNode[]> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, buffers, format json) ${statement}`.execute(db);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scansIn(Plan)));
}

/** Runs work twice, and undoes it: to record its statements, and to explain them. @returns the scans of each statement */
export async function plansOf(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<PlanNode[][]> {
  const recorded: CompiledQuery[] = [];
  await undone(db, (tx) => {
    const recorder = {
      transformQuery: ({ node, queryId }) => {
        recorded.push(tx.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    } satisfies KyselyPlugin;
    return work(tx.withPlugin(recorder));
  });
  const plans: PlanNode[][] = [];
  await undone(db, async (tx) => {
    for (const { sql: text, parameters } of recorded) {
      const query = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]);
      const { rows } = await tx.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(query);
      plans.push(rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scansIn(Plan))));
    }
  });
  return plans;
}

async function undone(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const tx = await db.startTransaction().execute();
  try {
    await work(tx);
  } finally {
    await tx.rollback().execute();
  }
}

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

function scansIn(plan: PlanNode): PlanNode[] {
  const own = plan['Node Type'].endsWith('Scan') ? [plan] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansIn)];
}

/** Returns the rows that one loop of a scan reads. */
export function rowsRead(scan: PlanNode | undefined): number {
  return (scan?.['Actual Rows'] ?? Number.NaN) + (scan?.['Rows Removed by Filter'] ?? 0);
}

/** Returns the pages of the database that a scan reads. */
export function blocksRead(scan: PlanNode | undefined): number {
  return (scan?.['Shared Hit Blocks'] ?? Number.NaN) + (scan?.['Shared Read Blocks'] ?? 0);
}

interface ReplicaSettings {
  readonly ACME_DIRECTORY_URLS: string;
  readonly ACME_LIMITS?: string;
}

/** Plans of another replica, without its background tasks. */
export function plansOfReplica(
  db: Database,
  { ACME_DIRECTORY_URLS, ACME_LIMITS }: ReplicaSettings,
): { readonly plans: IssuancePlans; readonly lines: OrderLines } {
  const config = {
    ACME_DIRECTORY_URLS: ACME_DIRECTORY_URLS.split(','),
    ACME_LIMITS: ACME_LIMITS === undefined ? new Map() : parseCaLimits(ACME_LIMITS),
    CERTIFICATE_KEKS: parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`),
  };
  const attempts = new CertificateAttemptsRepository(db);
  const usage = new CaUsageRepository();
  const queue = new OrderQueueRepository();
  const pauses = new CaPausesRepository();
  const cas = new CertificateAuthorities(config);
  const lines = new OrderLines(cas, usage, queue, pauses);
  const certificates = new CertificatesRepository(db);
  const feed = new EdgeFeedRepository(db);
  const selections = new CaSelectionLoader(cas, attempts, usage, certificates, lines, pauses, feed);
  return {
    plans: new IssuancePlans(db, config, cas, attempts, selections, queue, new LimitedDomainsRepository()),
    lines,
  };
}
