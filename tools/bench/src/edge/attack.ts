import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { quantile, type Figure } from '../figure.js';
import { edgeSettings } from '../settings.js';
import { nameOf } from './certificate-set.js';
import { drive, startAndWait, type Ground, type Serving } from './contestant.js';
import { ourEdge } from './our-edge.js';

const { BENCH_EDGE_UNKNOWN_NAMES: UNKNOWN_NAMES } = edgeSettings;
const NAMES = 1_000;
/** Requests of one process, each with its own handshake; enough to outweigh the warm-up of the process. */
const VISITS = 1_000;
const QUIET_ROUNDS = 3;
/** During an attack a visitor may wait twice as long. */
const BAR = 0.5;

/** How long a visitor waits for a page on a new connection, without other clients and during an attack on the same edge. */
export async function measureUnderAttack(ground: Ground): Promise<Figure[]> {
  const { serving } = await startAndWait(ourEdge, ground, NAMES);
  try {
    await visit(ground, serving, NAMES); // opens every certificate and warms up the program
    const quiet: number[] = [];
    for (let round = 0; round < QUIET_ROUNDS; round++) quiet.push(...(await visit(ground, serving, VISITS)));
    const attacked: number[] = [];
    const state = { isOver: false };
    const order = { port: serving.port, servedName: nameOf(0), unknownNames: UNKNOWN_NAMES };
    const attacking = attack(order).finally(() => (state.isOver = true));
    attacking.catch(() => undefined); // awaited below
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

/** The instructions for `attack-main.js`. */
export interface AttackOrder {
  readonly port: number;
  /** A name that the edge serves. */
  readonly servedName: string;
  /** Handshakes with unknown names; the other attacks continue until these are done. */
  readonly unknownNames: number;
}

/** The result of `attack-main.js`. */
export interface AttackSeen {
  readonly refusedNames: number;
  /** Streams of HTTP/2 that were opened and reset at once. */
  readonly resets: number;
  /** Request bodies sent a byte at a time. */
  readonly slowBodies: number;
}

const ATTACK_LIMIT_MS = 600_000;

/**
 * Attacks from a process of its own: unknown names, rapid reset and slow bodies at the same time. The process runs only while
 * its processor is idle (SCHED_IDLE), so that the measured visitor on the same processor does not wait for the attacker.
 * @throws Error when one of the three attacks did nothing
 */
async function attack(order: AttackOrder): Promise<AttackSeen> {
  const program = fileURLToPath(new URL('attack-main.js', import.meta.url));
  const args = ['--idle', '0', process.execPath, program, JSON.stringify(order)];
  const child = spawn('chrt', args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: ATTACK_LIMIT_MS });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`the attack ended with ${String(child.exitCode ?? child.signalCode)}`);
  const seen = JSON.parse(printed) as AttackSeen; // the attacker's own words
  if (Math.min(seen.refusedNames, seen.resets, seen.slowBodies) === 0)
    throw new Error(`an attack did nothing: ${printed}`);
  return seen;
}
