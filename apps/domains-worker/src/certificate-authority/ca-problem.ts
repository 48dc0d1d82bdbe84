import { CHALLENGE_NOT_PUBLISHED, RATE_LIMITED, type CaProblem } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { z } from 'zod';

/** The CA refused a request, or its response is unusable. */
export class CaError extends Error {
  override readonly name = 'CaError';

  constructor(readonly problem: CaProblem) {
    super(problem.type === null ? problem.detail : `${problem.detail} (${problem.type})`);
  }
}

export const problemType = {
  badNonce: 'urn:ietf:params:acme:error:badNonce',
  accountDoesNotExist: 'urn:ietf:params:acme:error:accountDoesNotExist',
  orderNotReady: 'urn:ietf:params:acme:error:orderNotReady',
  rateLimited: RATE_LIMITED,
  serverInternal: 'urn:ietf:params:acme:error:serverInternal',
  malformed: 'urn:ietf:params:acme:error:malformed',
  unauthorized: 'urn:ietf:params:acme:error:unauthorized',
  /** RFC 9773 §5. */
  alreadyReplaced: 'urn:ietf:params:acme:error:alreadyReplaced',
  invalidProfile: 'urn:ietf:params:acme:error:invalidProfile',
  challengeNotPublished: CHALLENGE_NOT_PUBLISHED,
} as const;

export function isProblem(error: unknown, type: (typeof problemType)[keyof typeof problemType]): boolean {
  return error instanceof CaError && error.problem.type === type;
}

const transientTypes: ReadonlySet<string> = new Set([
  problemType.badNonce,
  problemType.orderNotReady,
  problemType.rateLimited,
  problemType.serverInternal,
]);

/** Whether the same request may succeed later: without a usable answer, after an error of the server, or below a limit. */
export function isTransient({ type, status }: CaProblem): boolean {
  if (status === null || status < 400 || status >= 500 || status === 429) return true;
  return type !== null && transientTypes.has(type);
}

/** RFC 8555 §6.7. For any other body, such as a proxy's page, only the status is known. */
const documentSchema = z.object({ type: z.string().optional(), detail: z.string().optional() });
const compoundSchema = documentSchema.extend({ subproblems: z.array(documentSchema).optional().catch(undefined) });
const COMPOUND = 'urn:ietf:params:acme:error:compound';
const MAX_DETAIL = 1_000;

/** Our orders have one name, so a sub-problem (RFC 8555 §6.7.1) is about it and says more than the problem around it. */
export function readProblem(body: unknown, status: number | null, retryAfter: unknown, now: Date): CaProblem {
  const document = compoundSchema.safeParse(body).data;
  const [inner] = document?.subproblems ?? [];
  const type = document?.type === COMPOUND ? (inner?.type ?? COMPOUND) : document?.type;
  const detail = inner?.detail ?? document?.detail ?? `the CA answered with status ${status ?? 'unknown'}`;
  return {
    type: type ?? null,
    detail: detail.slice(0, MAX_DETAIL),
    status,
    retryAt: parseRetryAfter(retryAfter, now)?.toISOString() ?? null,
  };
}

/** A problem that the CA has not reported itself. */
export function plainProblem(detail: string): CaProblem {
  return { type: null, detail: detail.slice(0, MAX_DETAIL), status: null, retryAt: null };
}

/** A longer time is a mistake of the CA. */
const LONGEST_RETRY_AFTER_MS = 30 * 86_400_000;

/** Seconds or a date (RFC 9110 §10.2.3), 30 days ahead at most; null when it is neither. */
export function parseRetryAfter(value: unknown, now: Date): Date | null {
  if (typeof value !== 'string') return null;
  const at = /^\d{1,9}$/.test(value) ? now.getTime() + Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(at) ? null : new Date(Math.min(at, now.getTime() + LONGEST_RETRY_AFTER_MS));
}

/** Any error as the problem of an event. For an aborted job it is the reason of the abort. */
export function toCaProblem(error: unknown, signal: AbortSignal): CaProblem {
  if (error instanceof CaError) return error.problem;
  return plainProblem(failureText(signal.aborted ? signal.reason : error));
}
