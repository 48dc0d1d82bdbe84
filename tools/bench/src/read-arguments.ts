import { parseArgs } from 'node:util';
import { isSuite, suiteNames, type SuiteName } from './suites.js';

/** A command that `npm run bench` does not know. The message says what it knows. */
export class UsageError extends Error {}

export interface Arguments {
  /** All suites when it is missing. */
  readonly suite?: SuiteName | 'quick' | undefined;
  /** A commit whose build takes turns with this one. */
  readonly against?: string | undefined;
  /** The reason why this run of the quick benchmark becomes its record. */
  readonly record?: string | undefined;
}

const usage = `usage: npm run bench -- [SUITE [--against COMMIT] | quick [--record REASON]]; suites: ${suiteNames.join(', ')}`;
const options = { against: { type: 'string' }, record: { type: 'string' } } as const;

/** @throws UsageError */
export function readArguments(args: readonly string[]): Arguments {
  const { positionals, values } = parse(args);
  const [suite, ...rest] = positionals;
  const isQuick = suite === 'quick';
  const isKnown = suite === undefined || isQuick || isSuite(suite);
  const mayRecord = isQuick && values.record?.trim() !== '';
  const mayCompare = suite !== undefined && !isQuick;
  if (!isKnown || rest.length > 0) throw new UsageError(usage);
  if ((values.record !== undefined && !mayRecord) || (values.against !== undefined && !mayCompare)) {
    throw new UsageError(usage);
  }
  return { suite, ...values };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}
