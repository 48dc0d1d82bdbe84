import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What an attack is told to do. */
export interface AttackOrder {
  readonly port: number;
  /** A name that is served. */
  readonly servedName: string;
  /** Handshakes with names that are not; the rest goes on until these are done. */
  readonly unknownNames: number;
}

/** What an attack has done. */
export interface AttackSeen {
  readonly refusedNames: number;
  /** Streams of HTTP/2 that were opened and reset at once. */
  readonly resets: number;
  /** Bodies of which a byte came now and then. */
  readonly slowBodies: number;
}

const LIMIT_MS = 600_000;
/**
 * Attacks in a process of its own: names that do not exist, rapid reset, slow bodies, all at a time. It runs
 * only while its processor is idle (SCHED_IDLE): a visitor who is measured on the same one is not to wait for the attacker.
 * @throws Error when it was no attack: when any of the three did nothing
 */
export async function attack(order: AttackOrder): Promise<AttackSeen> {
  const program = fileURLToPath(new URL('attack-main.js', import.meta.url));
  const args = ['--idle', '0', process.execPath, program, JSON.stringify(order)];
  const child = spawn('chrt', args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`the attack ended with ${String(child.exitCode ?? child.signalCode)}`);
  const seen = JSON.parse(printed) as AttackSeen; // the attacker's own words
  if (Math.min(seen.refusedNames, seen.resets, seen.slowBodies) === 0)
    throw new Error(`that was no attack: ${printed}`);
  return seen;
}
