import { errorCodeOf, failureText } from '@pets/domains';
import { CaError, parseRetryAfter, plainProblem } from './ca-problem.js';

/** The limit of one response; the job limits the attempt. */
export const RESPONSE_LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_000_000;

export interface CaRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** A signed request. */
  readonly body?: string;
  readonly accept?: string;
}

export interface CaReply {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
  readonly nonce: string | null;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** `retryAfter`, parsed. */
  readonly retryAt: Date | null;
}

/**
 * One request to a CA and its complete response, whatever its status, without retries.
 * @throws CaError without a usable response: network error, timeout, redirect, a body that is too long or cut off
 * @throws the signal's reason when it is aborted
 */
export async function askCa(
  url: string,
  { method, body, accept = 'application/json' }: CaRequest,
  signal: AbortSignal,
  limitMs = RESPONSE_LIMIT_MS,
): Promise<CaReply> {
  const limit = AbortSignal.timeout(limitMs);
  // RFC 8555 §6.1: a client identifies itself and names the language of messages.
  const headers = { accept, 'user-agent': 'pets-domains-worker', 'accept-language': 'en' };
  try {
    const response = await fetch(url, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/jose+json' },
      ...(body !== undefined && { body }),
      // RFC 8555 has no redirects, and a signature is valid for one URL.
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    });
    if (response.status >= 300 && response.status < 400) throw redirected(response);
    return await readReply(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CaError) throw error;
    const reason = limit.aborted ? `did not answer within ${limitMs} ms` : `cannot be reached: ${causeText(error)}`;
    throw new CaError(plainProblem(`the CA at ${new URL(url).host} ${reason}`));
  }
}

async function readReply(response: Response): Promise<CaReply> {
  const { status, headers } = response;
  const retryAfter = headers.get('retry-after');
  return {
    status,
    text: await readText(response),
    contentType: headers.get('content-type') ?? 'no content type',
    nonce: headers.get('replay-nonce'),
    location: headers.get('location'),
    retryAfter,
    retryAt: parseRetryAfter(retryAfter, new Date()),
  };
}

async function readText({ body, status }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The body of `fetch` has bytes, which its type does not say.
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new CaError({ ...plainProblem('the response of the CA is too long'), status });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function redirected({ status, headers }: Response): CaError {
  return new CaError({ ...plainProblem(`the CA redirects to ${headers.get('location') ?? 'nowhere'}`), status });
}

/** The error of `fetch` says only that it failed; its cause has the reason. */
function causeText(error: unknown): string {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return errorCodeOf(cause) ?? failureText(cause ?? error);
}
