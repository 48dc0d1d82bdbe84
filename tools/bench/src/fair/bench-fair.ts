import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile, type Figure } from '../figure.js';
import { settings } from '../settings.js';
import { batches, oneProject, repeatedRemovals } from './attacks/bursts.js';
import { looking, uploading } from './attacks/process-attacks.js';
import { hangingLists, hangingZones, silentReceivers } from './attacks/silent-servers.js';
import { measureCommits } from './commits.js';
import { withFixture, type Attack, type FairFixture } from './fair-fixture.js';
import { measureFlood } from './flood.js';
import { measureGrowth } from './growth.js';
import { victims, type RunningVictim } from './victims.js';

/** Whether tenants delay each other: by due work, by notifications of commits, by attacks, and by what they store. */
export async function benchFair(): Promise<readonly Figure[]> {
  if (settings.BENCH_ATTACKS.length > 0) return measureAttacks();
  return [
    ...(await measureFlood()),
    ...(await measureCommits()),
    ...(await measureAttacks()),
    ...(await withFixture(measureGrowth)),
  ];
}

const ROUNDS = 5;
const ROUND_MS = 8_000;
/** Until the attack has its effect, and after it until the queues are empty again. */
const LEAD_MS = 1_000;
const REST_MS = 2_000;

/** The bars: a request, three times the quiet p99 or 50 ms; a delivery, a second; a click, twice the quiet median. */
const QUIET_TIMES = 3;
const REQUEST_FLOOR_MS = 50;
const DELIVERY_MS = 1_000;
const CLICK_TIMES = 2;
/** A click of some milliseconds may take so long without anybody noticing. */
const CLICK_FLOOR_MS = 250;

/**
 * Each attack beside a tenant who does nothing unusual. Quiet rounds and attacked rounds take turns, so that both are of the
 * same minutes of the machine.
 */
async function measureAttacks(): Promise<readonly Figure[]> {
  const wanted = attacks.filter(
    ({ name }) => settings.BENCH_ATTACKS.length === 0 || settings.BENCH_ATTACKS.includes(name),
  );
  if (wanted.length === 0) return [];
  const figures: Figure[] = [];
  // A stack for each: what one attack leaves behind must not slow the next.
  for (const attack of wanted) {
    figures.push(await withFixture((fixture) => measureAttack(fixture, attack)));
  }
  return figures;
}

async function measureAttack(fixture: FairFixture, attack: Attack): Promise<Figure> {
  const victim = await victims[attack.victim](fixture);
  const running = await attack.prepare(fixture);
  try {
    await measureRound(victim, LEAD_MS); // warm
    const rounds: { readonly quiet: readonly number[]; readonly attacked: readonly number[] }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const quiet = await measureRound(victim, ROUND_MS);
      const over = new AbortController();
      const attacking = running.run(over.signal);
      attacking.catch(() => undefined); // awaited below
      await sleep(LEAD_MS);
      const attacked = await measureRound(victim, ROUND_MS);
      over.abort();
      await attacking;
      await sleep(REST_MS);
      rounds.push({ quiet, attacked });
    }
    return figureOf(attack, rounds);
  } finally {
    await running.close?.();
    await victim.close();
  }
}

/** Starts operations at a fixed pace, so that a slow one delays no other. @returns milliseconds of each */
async function measureRound({ operate, everyMs }: RunningVictim, forMs: number): Promise<readonly number[]> {
  const operations: Promise<number>[] = [];
  for (const endsMs = performance.now() + forMs; performance.now() < endsMs; await sleep(everyMs))
    operations.push(operate());
  return Promise.all(operations);
}

function figureOf(
  { name, victim, share = victim === 'request' ? 0.99 : victim === 'delivery' ? 0.95 : 0.5 }: Attack,
  rounds: readonly { readonly quiet: readonly number[]; readonly attacked: readonly number[] }[],
): Figure {
  const [quietMs, attackedMs] = [
    median(rounds.map(({ quiet }) => quantile(quiet, share))),
    median(rounds.map(({ attacked }) => quantile(attacked, share))),
  ];
  const limitMs = {
    request: Math.max(QUIET_TIMES * quietMs, REQUEST_FLOOR_MS),
    delivery: DELIVERY_MS,
    checked: Math.max(CLICK_TIMES * quietMs, CLICK_FLOOR_MS),
    live: Math.max(CLICK_TIMES * quietMs, CLICK_FLOOR_MS),
  }[victim];
  const longestMs = Math.max(...rounds.flatMap(({ attacked }) => attacked));
  process.stdout.write(
    `${name}: ${victim} p${share * 100} ${quietMs.toFixed(0)} ms quiet, ${attackedMs.toFixed(0)} ms attacked, ` +
      `longest ${longestMs.toFixed(0)} ms, limit ${limitMs.toFixed(0)} ms\n`,
  );
  return { name: `fair/${name}/${victim}-over-limit`, ratio: attackedMs / limitMs, bar: 1, isMaximum: true };
}

/** In the order they are run. */
const attacks: readonly Attack[] = [
  repeatedRemovals,
  oneProject,
  batches,
  hangingLists,
  silentReceivers,
  hangingZones,
  looking,
  uploading('cancelled-imports'),
  uploading('empty-lines'),
];
