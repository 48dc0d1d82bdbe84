import { waitUntil } from '@pets/dev-stack';
import { truthOf, type SeededDomain } from '@pets/bench/engine';
import type { RecoveredMs } from '../round.js';
import type { ChaosFixture } from './chaos-fixture.js';
import { isAsDnsSays, evaluateDomain, type Standing } from './standing.js';

/** After the fault is over, so long may it take without anybody's help. */
const LIMIT_MS = 60_000;
/** Of what is wrong with many domains, so much says enough. */
const MOST_SEEN = 3;

/** Waits until every domain is what its DNS says. @returns how long that took, counted from `since` */
export async function untilAsDnsSays(
  fixture: ChaosFixture,
  domains: readonly SeededDomain[],
  since: number,
): Promise<RecoveredMs> {
  return waitUntil(async () => (await read(fixture, domains)).every(isAsDnsSays), {
    timeoutMs: LIMIT_MS,
    intervalMs: 250,
  }).then(
    () => Date.now() - since,
    () => 'never', // what is wrong is looked for below
  );
}

export interface Verdict {
  readonly lost: number;
  readonly duplicated: number;
  readonly seen: readonly string[];
}

/** Looks for what should not be: domains that are not what their DNS says, and faults of their history. */
export async function evaluate(fixture: ChaosFixture, domains: readonly SeededDomain[]): Promise<Verdict> {
  const judgements = (await read(fixture, domains)).map(evaluateDomain);
  const wrong = judgements.filter(({ seen }) => seen.length > 0);
  const gaps = await gapsIn(fixture, domains);
  return {
    lost: judgements.filter(({ isLost }) => isLost).length + gaps.length,
    duplicated: judgements.reduce((sum, { duplicated }) => sum + duplicated, 0),
    seen: [
      ...(wrong.length > 0 ? [`${wrong.length} domains are not as they should be`] : []),
      ...wrong.flatMap(({ seen }) => seen).slice(0, MOST_SEEN),
      ...gaps,
    ],
  };
}

async function read(fixture: ChaosFixture, domains: readonly SeededDomain[]): Promise<Standing[]> {
  const rows = await fixture.query<Omit<Standing, 'isMine'> & Record<string, unknown>>(
    `select d.name, d.state, d.generation, d.dns_issues <> '[]' as looked,
       coalesce((select jsonb_agg(jsonb_build_object('from', e.from_state, 'to', e.to_state) order by e.number)
        from domain_events e where e.domain_id = d.id), '[]') as history
     from domains d where d.id = any($1::uuid[])`,
    [domains.map(({ id }) => id)],
  );
  if (rows.length !== domains.length) throw new Error(`${rows.length} of ${domains.length} domains are there`);
  // What DNS says in the end: a look before it has come to that and one after it would see different domains as right.
  return rows.map((row) => ({ ...row, isMine: truthOf(row.name, Infinity)?.kind === 'points_at' }));
}

/** The numbers of a project's events ascend from 1 without a gap. */
async function gapsIn(fixture: ChaosFixture, domains: readonly SeededDomain[]): Promise<string[]> {
  const rows = await fixture.query<{ id: string }>(
    `select p.id from projects p where p.id = any($1::uuid[]) and p.event_number <>
       (select count(*) from domain_events e where e.project_id = p.id)`,
    [[...new Set(domains.map(({ projectId }) => projectId))]],
  );
  return rows.map(({ id }) => `the history of project ${id} has gaps`);
}
