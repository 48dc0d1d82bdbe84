import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type NamedDomain, type SeededDomain, startStack, type Stack } from '@pets/lab';
import { createRandom, type ChaosOptions, type Random, type Round } from '../round.js';
import { faults, type Fault } from './faults.js';
import { evaluate, untilDnsMatches } from './verdict.js';

const CLICK_PAUSE_MS = 100;
/** The documented limit is two seconds; the rest is for a slow machine. */
const ANSWER_LIMIT_MS = 2_500;
const REQUEST_LIMIT_MS = 20_000;

/**
 * Verifies domains while a fault is active. Some point at us and some do not; for some, DNS fails or changes during the
 * fault. Their owners keep requesting checks. Within a minute after the fault, the state of every domain must match its DNS,
 * after exactly one transition and without intervention. No process may exit unless it was killed.
 */

const DOMAINS_A_ROUND = 80;
const LONG_ONES_SHARE = 5;

export async function* chaosEngine({ seed, rounds, only }: ChaosOptions): AsyncGenerator<Round> {
  const chosen = faults.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0)
    throw new Error(`there is no fault ${only ?? ''}: ${faults.map(({ name }) => name).join(', ')}`);
  const stack = await startStack({ proxies: ['stores'], processes: ['api', 'worker'], isKept: true });
  try {
    for (const [index, fault] of chosen.entries()) {
      const times = fault.isLong ? Math.ceil(rounds / LONG_ONES_SHARE) : rounds;
      for (let round = 1; round <= times; round++) {
        yield await play(stack, fault, createRandom(seed + 1_000 * index + round), `${seed}${index}${round}`);
      }
    }
  } finally {
    await stack.close();
  }
}

async function play(stack: Stack, fault: Fault, random: Random, label: string): Promise<Round> {
  const exitsBefore = stack.api.unexpectedExits.length + stack.worker.unexpectedExits.length;
  const client = await stack.postgres.connect();
  const domains = await seedDomains(client, stack.organizationId, namesFor(label, random), new Date());
  await client.query(
    `update domain_work set due_at = now() + random() * interval '3 seconds' where domain_id = any($1::uuid[])`,
    [domains.map(({ id }) => id)],
  );
  await client.query(`select pg_notify('domain_work', '')`);
  await client.end();
  const over = new AbortController();
  const clicking = clickUntil(stack, domains, random, over.signal);
  const since = await fault.run(stack, random).finally(() => over.abort());
  const [recoveredMs, { wrong, late }] = await Promise.all([untilDnsMatches(stack, domains, since), clicking]);
  const { lost, duplicated, seen } = await evaluate(stack, domains);
  const exits = [...stack.api.unexpectedExits, ...stack.worker.unexpectedExits].slice(exitsBefore);
  const all = [...wrong, ...(fault.isAnsweredInTime ? late.slice(0, 3) : []), ...seen, ...exits];
  // All domains match by now, but did not within the limit.
  if (recoveredMs === 'never' && seen.length === 0) all.push('the domains were late');
  if (all.length > 0) {
    for (const line of [...stack.api.lines.slice(-15), ...stack.worker.lines.slice(-15)])
      process.stderr.write(`  ${line}\n`);
  }
  return { name: fault.name, seen: all, lost, duplicated, recoveredMs };
}

function namesFor(label: string, random: Random): NamedDomain[] {
  return Array.from({ length: DOMAINS_A_ROUND }, (_, index) => {
    const id = `${label}x${index}`;
    const until = Math.floor(Date.now() / 1_000) + random.between(1, 10);
    const kind = random.pick(['match', 'match', 'other', `broken-${until}`, `turned-${until}`]);
    return { name: `${kind}-${id}.engine.example.com`, token: `t${id}` };
  });
}

/**
 * Requests a verification ten times a second until the fault is over.
 * @returns answers that are neither 202 nor 503, and late ones
 */
async function clickUntil(
  { api, apiKey }: Stack,
  domains: readonly SeededDomain[],
  random: Random,
  isOver: AbortSignal,
): Promise<{ readonly wrong: readonly string[]; readonly late: readonly string[] }> {
  const wrong = new Set<string>();
  const late: string[] = [];
  const clicks: Promise<void>[] = [];
  const click = async ({ projectId, id }: SeededDomain) => {
    const began = Date.now();
    const answer = await fetch(`${api.url}/v1/projects/${projectId}/domains/${id}/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    }).catch(() => null); // there is no API at the moment
    const tookMs = Date.now() - began;
    if (tookMs > ANSWER_LIMIT_MS) late.push(`a click took ${tookMs} ms (${answer?.status ?? 'no answer'})`);
    const text = (await answer?.text().catch(() => '')) ?? '';
    if (answer !== null && answer.status !== 202 && answer.status !== 503)
      wrong.add(`a click was answered ${answer.status} ${text.slice(0, 120)}`);
  };
  while (!isOver.aborted) {
    clicks.push(click(random.pick(domains)));
    await sleep(CLICK_PAUSE_MS);
  }
  await Promise.all(clicks);
  return { wrong: [...wrong], late };
}
