import { truthOf, type SeededDomain, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type { RecoveredMs } from '../round.js';

/** The time limit for recovery after the end of the fault. */
const LIMIT_MS = 60_000;
/** The most faulty domains to report. */
const MOST_SEEN = 3;

/** Waits until the state of every domain matches its DNS. @returns the time since `since` */
export async function untilDnsMatches(
  stack: Stack,
  domains: readonly SeededDomain[],
  since: number,
): Promise<RecoveredMs> {
  return waitUntil(async () => (await read(stack, domains)).every(matchesDns), {
    timeoutMs: LIMIT_MS,
    intervalMs: 250,
  }).then(
    () => Date.now() - since,
    () => 'never', // `evaluate` reports the faults
  );
}

export interface Verdict {
  readonly lost: number;
  readonly duplicated: number;
  readonly seen: readonly string[];
}

/** Finds domains whose state does not match their DNS, and faults in their history. */
export async function evaluate(stack: Stack, domains: readonly SeededDomain[]): Promise<Verdict> {
  const evaluations = (await read(stack, domains)).map(evaluateDomain);
  const wrong = evaluations.filter(({ seen }) => seen.length > 0);
  const gaps = await gapsIn(stack, domains);
  return {
    lost: evaluations.filter(({ isLost }) => isLost).length + gaps.length,
    duplicated: evaluations.reduce((sum, { duplicated }) => sum + duplicated, 0),
    seen: [
      ...(wrong.length > 0 ? [`${wrong.length} domains are not as they should be`] : []),
      ...wrong.flatMap(({ seen }) => seen).slice(0, MOST_SEEN),
      ...gaps,
    ],
  };
}

async function read(stack: Stack, domains: readonly SeededDomain[]): Promise<DomainOutcome[]> {
  const rows = await stack.postgres.query<Omit<DomainOutcome, 'isMine'> & Record<string, unknown>>(
    `select d.name, d.state, d.generation, d.dns_issues <> '[]' as checked,
       coalesce((select jsonb_agg(jsonb_build_object('from', e.from_state, 'to', e.to_state) order by e.number)
        from project_events e where e.domain_id = d.id), '[]') as history
     from domains d where d.id = any($1::uuid[])`,
    [domains.map(({ id }) => id)],
  );
  if (rows.length !== domains.length) throw new Error(`${rows.length} of ${domains.length} domains are there`);
  // Compares with the final DNS: DNS changes during a round, so earlier checks expect another state.
  return rows.map((row) => ({ ...row, isMine: truthOf(row.name, Infinity)?.kind === 'points_at' }));
}

/** The numbers of a project's events ascend from 1 without a gap. */
async function gapsIn(stack: Stack, domains: readonly SeededDomain[]): Promise<string[]> {
  const rows = await stack.postgres.query<{ id: string }>(
    `select p.id from projects p where p.id = any($1::uuid[]) and p.event_number <>
       (select count(*) from project_events e where e.project_id = p.id)`,
    [[...new Set(domains.map(({ projectId }) => projectId))]],
  );
  return rows.map(({ id }) => `the history of project ${id} has gaps`);
}

/** A domain after a round, with the state that its DNS requires. */
export interface DomainOutcome {
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  /** Whether a DNS check has reported issues. */
  readonly checked: boolean;
  /** Whether its DNS points at us. */
  readonly isMine: boolean;
  readonly history: readonly { readonly from: string | null; readonly to: string }[];
}

/** Whether the state of the domain matches its DNS. */
function matchesDns({ isMine, state, checked }: DomainOutcome): boolean {
  return isMine ? state === 'verified' : state === 'awaiting_dns' && checked;
}

interface Evaluation {
  /** Whether its state or a line of its history is missing. */
  readonly isLost: boolean;
  /** The number of repeated state changes or generations. */
  readonly duplicated: number;
  readonly seen: readonly string[];
}

const begun = 'nothing → awaiting_dns';
const verified = 'awaiting_dns → verified';

/** Requires exactly one line of history for each state change, and one generation for each change that starts one. */
export function evaluateDomain(outcome: DomainOutcome): Evaluation {
  const { name, state, generation, checked, history } = outcome;
  const moves = history.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from ?? 'nothing'} → ${to}`);
  const expected = state === 'verified' ? [begun, verified] : [begun];
  const missing = expected.filter((move) => !moves.includes(move)).length;
  const repeated = moves.length - (expected.length - missing);
  const isRight = matchesDns(outcome);
  return {
    isLost: !isRight || missing > 0 || generation < expected.length,
    duplicated: Math.max(repeated, generation - expected.length, 0),
    seen: [
      ...(isRight ? [] : [`${name} is ${state}${checked ? '' : ' and was not checked'}`]),
      ...(moves.join() === expected.join() ? [] : [`${name} is ${state} by ${moves.join(', ')}`]),
      ...(generation === expected.length ? [] : [`${name} is ${state} in generation ${generation}`]),
    ],
  };
}
