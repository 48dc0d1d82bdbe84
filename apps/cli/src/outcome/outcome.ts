import { domainIssueSchema } from '@pets/contracts';
import { z } from 'zod';
import { exitCodes, type OutcomeStatus } from './exit-codes.js';

const statuses = Object.keys(exitCodes) as [OutcomeStatus, ...OutcomeStatus[]]; // the keys of a constant

/** What `--json` prints, for every command: this one document, whatever happens. */
export const outcomeSchema = z.strictObject({
  ok: z.boolean().describe('Whether what was asked for is so: exit code 0.'),
  status: z.enum(statuses).describe('How the command ended; each has its exit code.'),
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .describe('Why, for programs: a state, the code of an issue, or of an error of the API.'),
  message: z.string().describe('The same for people, in a sentence.'),
  result: z.unknown().describe('What the command is about, as the API has it; null where there is nothing.'),
  issues: z.array(domainIssueSchema).readonly().describe('What stands in the way, and the exact fix of each.'),
  next: z
    .array(z.strictObject({ command: z.string(), when: z.string() }))
    .readonly()
    .describe('What to run next, and when.'),
});

export type Outcome = z.infer<typeof outcomeSchema>;

/** An outcome and what people read of its result, on standard output. */
export interface Report extends Outcome {
  readonly text: string;
}

type Details = Partial<Pick<Report, 'result' | 'issues' | 'next' | 'text'>>;

/** The report of how a command ended. */
export function report(status: OutcomeStatus, reason: string, message: string, details: Details = {}): Report {
  return { ok: status === 'done', status, reason, message, result: null, issues: [], next: [], text: '', ...details };
}

/** Ends a command from wherever it is, with what it has to report. */
export class CommandFailure extends Error {
  constructor(readonly report: Report) {
    super(report.message);
  }
}

/** The command line or a setting is wrong. */
export function usageFailure(reason: string, message: string): CommandFailure {
  return new CommandFailure(report('usage', reason, message));
}
