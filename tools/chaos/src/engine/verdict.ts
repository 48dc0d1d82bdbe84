import { waitUntil } from '@pets/dev-stack';
import { truthOf, type SeededDomain } from '@pets/bench/engine';
import type { ChaosWorld } from './chaos-world.js';

/** After the fault is over, so long may it take without anybody's help. */
const LIMIT_MS = 60_000;

interface Standing {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  readonly looked: boolean;
  readonly history: readonly { readonly from: string | null; readonly to: string }[];
}

/** Waits until every domain is what its DNS says, and looks for what should not be. @returns what should not be */
export async function judge(world: ChaosWorld, domains: readonly SeededDomain[]): Promise<string[]> {
  let wrong: string[] = [];
  const began = Date.now();
  await waitUntil(
    async () => {
      wrong = (await read(world, domains)).flatMap(notAsDnsSays);
      return wrong.length === 0;
    },
    { timeoutMs: LIMIT_MS, intervalMs: 250 },
  ).catch(() => undefined); // what is wrong says more
  if (wrong.length > 0)
    return [`${wrong.length} domains after ${Date.now() - began} ms: ${wrong.slice(0, 3).join(', ')}`];
  return [...(await read(world, domains)).flatMap(faultsOfHistory), ...(await gapsIn(world, domains))];
}

async function read(world: ChaosWorld, domains: readonly SeededDomain[]): Promise<Standing[]> {
  return world.query<Standing & Record<string, unknown>>(
    `select d.id, d.name, d.state, d.generation, d.dns_issues <> '[]' as looked,
       (select jsonb_agg(jsonb_build_object('from', e.from_state, 'to', e.to_state) order by e.number)
        from domain_events e where e.domain_id = d.id) as history
     from domains d where d.id = any($1::uuid[])`,
    [domains.map(({ id }) => id)],
  );
}

function notAsDnsSays({ name, state, looked }: Standing): string[] {
  const isMine = truthOf(name, Date.now())?.kind === 'points_at';
  if (isMine ? state === 'verified' : state === 'awaiting_dns' && looked) return [];
  return [`${name} is ${state}${looked ? '' : ' and was not looked at'}`];
}

/** One line for each change of state, no more and no less, and one generation for each that begins one. */
function faultsOfHistory({ name, state, generation, history }: Standing): string[] {
  const moves = history.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from ?? 'nothing'} → ${to}`);
  const expected =
    state === 'verified' ? ['nothing → awaiting_dns', 'awaiting_dns → verified'] : ['nothing → awaiting_dns'];
  const faults: string[] = [];
  if (moves.join() !== expected.join()) faults.push(`${name} is ${state} by ${moves.join(', ')}`);
  if (generation !== expected.length) faults.push(`${name} is ${state} in generation ${generation}`);
  return faults;
}

/** The numbers of a project's events ascend from 1 without a gap. */
async function gapsIn(world: ChaosWorld, domains: readonly SeededDomain[]): Promise<string[]> {
  const rows = await world.query<{ id: string }>(
    `select p.id from projects p where p.id = any($1::uuid[]) and p.event_number <>
       (select count(*) from domain_events e where e.project_id = p.id)`,
    [[...new Set(domains.map(({ projectId }) => projectId))]],
  );
  return rows.map(({ id }) => `the history of project ${id} has gaps`);
}
