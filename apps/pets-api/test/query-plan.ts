import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';

/** Runs a statement. @returns the scans of its plan */
export async function explainScans(db: Database, statement: RawBuilder<unknown>): Promise<PlanNode[]> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, format json) ${statement}`.execute(db);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scansIn(Plan)));
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

/** Of one loop. */
export function rowsRead(scan: PlanNode | undefined): number {
  return (scan?.['Actual Rows'] ?? Number.NaN) + (scan?.['Rows Removed by Filter'] ?? 0);
}
