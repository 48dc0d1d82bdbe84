import { quantile, type Figure } from '../figure.js';
import { attack } from './attack.js';
import { nameOf } from './certificate-set.js';
import type { Ground, Serving } from './contestant.js';
import { drive } from './driver.js';
import { startAndWait } from './first-answer.js';
import { ourEdge } from './our-edge.js';
import { edgeSettings } from './settings.js';

const { BENCH_EDGE_UNKNOWN_NAMES: UNKNOWN_NAMES } = edgeSettings;
const NAMES = 1_000;
/** Visits that one process makes, each with a handshake of its own; so many that its own warming up is not what is seen. */
const VISITS = 1_000;
const QUIET_ROUNDS = 3;
/** Twice as long is what an attack may make a visitor wait. */
const BAR = 0.5;

/**
 * A visitor connects, asks for a page and leaves, again and again: first with nobody else there, then while somebody
 * attacks. Both in one run, by the same edge.
 */
export async function measureUnderAttack(ground: Ground): Promise<Figure[]> {
  const { serving } = await startAndWait(ourEdge, ground, NAMES);
  try {
    await visit(ground, serving, NAMES); // opens every certificate, and warms the program up
    const quiet: number[] = [];
    for (let round = 0; round < QUIET_ROUNDS; round++) quiet.push(...(await visit(ground, serving, VISITS)));
    const attacked: number[] = [];
    const state = { isOver: false };
    const order = { port: serving.port, servedName: nameOf(0), unknownNames: UNKNOWN_NAMES };
    const attacking = attack(order).finally(() => (state.isOver = true));
    attacking.catch(() => undefined); // looked at below
    while (!state.isOver) attacked.push(...(await visit(ground, serving, VISITS)));
    const { refusedNames, resets, slowBodies } = await attacking;
    print(`attack: ${refusedNames} unknown names, ${resets} streams reset at once, ${slowBodies} slow bodies`);
    const [before, during] = [describe('quiet', quiet), describe('attacked', attacked)];
    return [{ name: 'edge/visitor-p99-under-attack', ratio: before / during, bar: BAR }];
  } finally {
    await serving.stop();
  }
}

async function visit({ set }: Ground, serving: Serving, names: number): Promise<readonly number[]> {
  return (await drive(serving, set.rootPem, { kind: 'hits', first: 0, names })).latencies ?? [];
}

/** @returns the 99th percentile, in milliseconds */
function describe(when: string, latencies: readonly number[]): number {
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  print(`visitor, ${when}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${latencies.length} visits`);
  return p99;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
