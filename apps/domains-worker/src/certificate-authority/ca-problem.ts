import type { CaProblem } from '@pets/contracts';
import { z } from 'zod';
import { failureText } from '../failure-text.js';

/** The CA said no, or something is wrong with what it said. */
export class CaError extends Error {
  override readonly name = 'CaError';

  constructor(readonly problem: CaProblem) {
    super(problem.type === null ? problem.detail : `${problem.detail} (${problem.type})`);
  }
}

export const problemType = {
  badNonce: 'urn:ietf:params:acme:error:badNonce',
  accountDoesNotExist: 'urn:ietf:params:acme:error:accountDoesNotExist',
} as const;

export function isProblem(error: unknown, type: (typeof problemType)[keyof typeof problemType]): boolean {
  return error instanceof CaError && error.problem.type === type;
}

/** RFC 8555 §6.7; a body that is none, such as a proxy's page, leaves the status as the only thing known. */
const documentSchema = z.object({ type: z.string().optional(), detail: z.string().optional() });
const MAX_DETAIL = 1_000;

export function readProblem(body: unknown, status: number | null, retryAfter: unknown, now: Date): CaProblem {
  const document = documentSchema.safeParse(body).data;
  return {
    type: document?.type ?? null,
    detail: (document?.detail ?? `the CA answered with status ${status ?? 'unknown'}`).slice(0, MAX_DETAIL),
    status,
    retryAt: parseRetryAfter(retryAfter, now)?.toISOString() ?? null,
  };
}

/** Seconds or a date (RFC 9110 §10.2.3); null when it is neither. */
export function parseRetryAfter(value: unknown, now: Date): Date | null {
  if (typeof value !== 'string') return null;
  const at = /^\d{1,9}$/.test(value) ? now.getTime() + Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(at) ? null : new Date(at);
}

/** Whatever went wrong on the way, as the fact that is sent. An aborted job says why it was given up. */
export function toCaProblem(error: unknown, signal: AbortSignal): CaProblem {
  if (error instanceof CaError) return error.problem;
  const detail = failureText(signal.aborted ? signal.reason : error);
  return { type: null, detail: detail.slice(0, MAX_DETAIL), status: null, retryAt: null };
}
