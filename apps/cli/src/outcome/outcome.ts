import { domainIssueSchema } from '@pets/contracts';
import { z } from 'zod';

/**
 * The statuses of a command and their exit codes, for scripts: retry after `not_yet` without a change, and after
 * `refused` only with one.
 */
export const exitCodes = {
  done: 0,
  /** An internal error. */
  failed: 1,
  /** The command line or the settings are invalid. */
  usage: 2,
  /** DNS, a certificate, an edge or a rate limit is pending. */
  not_yet: 3,
  /** The request was refused, or an issue persists until someone changes something. */
  refused: 4,
  /** The API key is invalid or lacks a scope. */
  unauthorized: 5,
  /** The API or all name servers failed or are unreachable. */
  unavailable: 6,
  /** Ctrl-C: 128 and the number of SIGINT. */
  interrupted: 130,
} as const;

export type OutcomeStatus = keyof typeof exitCodes;

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

/** An outcome, and the text for standard output. */
export interface Report extends Outcome {
  readonly text: string;
  /** For people, in place of the message where that repeats the text. */
  readonly summary?: string;
}

type Details = Partial<Pick<Report, 'result' | 'issues' | 'next' | 'text' | 'summary'>>;

export function report(status: OutcomeStatus, reason: string, message: string, details: Details = {}): Report {
  return { ok: status === 'done', status, reason, message, result: null, issues: [], next: [], text: '', ...details };
}

/** Ends a command with a report. */
export class CommandFailure extends Error {
  constructor(readonly report: Report) {
    super(report.message);
  }
}

export function usageFailure(reason: string, message: string): CommandFailure {
  return new CommandFailure(report('usage', reason, message));
}
