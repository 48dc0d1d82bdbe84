import type { Database, Tx } from '@pets/persistence';
import { CompiledQuery, sql, type KyselyPlugin, type RawBuilder } from 'kysely';

/** Runs a statement. @returns the scans of its plan */
export async function explainScans(db: Database, statement: RawBuilder<unknown>): Promise<PlanNode[]> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, format json) ${statement}`.execute(db);
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
