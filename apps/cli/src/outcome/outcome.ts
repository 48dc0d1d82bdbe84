import { domainIssueSchema } from '@pets/contracts';
import { z } from 'zod';
import { exitCodes, type OutcomeStatus } from './exit-codes.js';

const statuses = Object.keys(exitCodes) as [OutcomeStatus, ...OutcomeStatus[]]; // the keys of a constant

/** The document that `--json` prints, for every command and every outcome. */
export const outcomeSchema = z.strictObject({
  ok: z.boolean().describe('Whether the command succeeded (exit code 0).'),
  status: z.enum(statuses).describe('How the command ended. Each status has its exit code.'),
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .describe('Machine-readable reason: a state, an issue code or an API error code.'),
  message: z.string().describe('The same as a sentence for people.'),
  result: z.unknown().describe('The resource as the API returns it, or null.'),
  issues: z.array(domainIssueSchema).readonly().describe('Issues that block the domain, each with its fix.'),
  next: z
    .array(z.strictObject({ command: z.string(), when: z.string() }))
    .readonly()
    .describe('Commands to run next, and when.'),
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
