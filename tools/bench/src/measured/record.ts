import { repositoryRoot } from '@pets/dev-stack';
import { z } from 'zod';
import { machineSchema, readCommit, readMachine, type ProgramName } from './machine.js';
import type { SuiteRun } from './run-suite.js';

/**
 * The record of a suite's last run: one small file a suite in `docs/measured`, from which the pages are made. It holds the
 * results and the circumstances, also when the suite failed.
 */
export const runRecord = z.strictObject({
  suite: z.string(),
  /** With the settings that were not left at their defaults. */
  command: z.string(),
  /** `YYYY-MM-DD`. */
  date: z.iso.date(),
  commit: z.strictObject({ id: z.string(), isDirty: z.boolean() }).optional(),
  seconds: z.int().optional(),
  machine: machineSchema,
  /** The output of the suite. */
  lines: z.array(z.string()),
  /** Why the suite did not complete. */
  failed: z.string().optional(),
});

export const benchRecord = runRecord.extend({
  figures: z.array(
    z.strictObject({
      name: z.string(),
      ratio: z.number().nullable(),
      bar: z.number().nullable(),
      isMaximum: z.literal(true).optional(),
      isMet: z.boolean().nullable(),
    }),
  ),
});

export type RunRecord = z.infer<typeof runRecord>;
export type BenchRecord = z.infer<typeof benchRecord>;

export interface RunOrder {
  readonly suite: string;
  readonly command: string;
  readonly programs: readonly ProgramName[];
  readonly now: Date;
}

/** A failure is a line or two on a page, however long its message is. */
const MAX_FAILURE_LENGTH = 300;

export function recordRun(order: RunOrder, { lines, seconds, failed }: SuiteRun<unknown>): RunRecord {
  const { suite, command, programs, now } = order;
  const commit = readCommit();
  return {
    ...{ suite, command, date: now.toISOString().slice(0, 10), seconds },
    ...(commit !== undefined && { commit }),
    machine: readMachine(programs),
    lines: lines.map(withoutRoot),
    ...(failed !== undefined && { failed: withoutRoot(failed).slice(0, MAX_FAILURE_LENGTH) }),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** The command that repeats a run: with each of the named settings that is not at its default. */
export function describeCommand(command: string, names: readonly string[], used: Values, defaults: Values): string {
  const changed = names.filter((name) => String(used[name]) !== String(defaults[name]));
  // The folder for profiles is of this machine.
  const given = changed.map((name) => `${name}=${name === 'PROFILE' ? 'folder' : String(used[name])}`);
  return [...given, command].join(' ');
}

/** The path of the repository on this machine is not for the record. */
function withoutRoot(line: string): string {
  return line.replaceAll(repositoryRoot, '.');
}
