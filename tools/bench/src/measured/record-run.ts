import { repositoryRoot } from '@pets/dev-stack';
import { lookAtCommit, lookAtMachine, type ProgramName } from './circumstances.js';
import type { ChangedSetting, RunRecord } from './record.js';
import type { SuiteRun } from './run-suite.js';

export interface RunOrder {
  readonly suite: string;
  readonly command: string;
  readonly settings: readonly ChangedSetting[];
  readonly programs: readonly ProgramName[];
  readonly now: Date;
}

/** A failure is a line or two on a page, whatever is in its message. */
const MOST_OF_A_FAILURE = 300;

/** What every record says of a run. */
export function recordRun(order: RunOrder, { lines, seconds, failed }: SuiteRun<unknown>): RunRecord {
  const { suite, command, settings, programs, now } = order;
  const commit = lookAtCommit();
  return {
    ...{ suite, command, date: now.toISOString().slice(0, 10), seconds },
    ...(commit !== undefined && { commit }),
    settings: [...settings],
    machine: lookAtMachine(programs),
    lines: lines.map(withoutPlace),
    ...(failed !== undefined && { failed: withoutPlace(failed).slice(0, MOST_OF_A_FAILURE) }),
  };
}

/** What to type for the same run. */
export function describeCommand(command: string, settings: readonly ChangedSetting[]): string {
  const given = settings.filter(({ name }) => name !== 'PROFILE').map(({ name, value }) => `${name}=${value}`);
  return [...given, command].join(' ');
}

/** Where the repository lies on this machine is nobody's business. */
function withoutPlace(line: string): string {
  return line.replaceAll(repositoryRoot, '.');
}
