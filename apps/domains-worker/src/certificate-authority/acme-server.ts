import type { KeyObject } from 'node:crypto';
import { abortable, CircuitBreaker } from '@pets/async';
import { errorCodeOf, failureText } from '@pets/domains';
import type { z } from 'zod';
import { signRequest } from './acme-jws.js';
import { directorySchema, type Directory } from './acme-resources.js';
import { CaError, parseRetryAfter, plainProblem, problemType, readProblem } from './ca-problem.js';

/** The limit of one response; the job limits the attempt. */
const RESPONSE_LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_000_000;

interface CaRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** A signed request. */
  readonly body?: string;
  readonly accept?: string;
}

interface CaReply {
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

/** Directories change rarely. */
const DIRECTORY_MAX_AGE_MS = 3_600_000;
const DIRECTORY_LIMIT_MS = 10_000;
/**
 * Refused nonces are part of the protocol (RFC 8555 §6.5), and a CA rarely refuses twice. With so many attempts, a request
 * fails once in a million times at a CA that refuses every other nonce.
 */
const NONCE_ATTEMPTS = 20;
/** CAs invalidate nonces after some time or a restart. An invalid nonce costs a round trip. */
const NONCE_MAX_AGE_MS = 120_000;
/** A CA that has not answered so many requests in a row is not asked for a while: each would occupy a job for its limit. */
const SILENCE = { failures: 8, openMs: 30_000 };
/** Each active job leaves one unused nonce. */
const MAX_NONCES = 100;

export interface CaAnswer<T> {
  readonly value: T;
  /** The time of `Retry-After`. */
  readonly retryAt: Date | null;
}

/**
 * Requests to a CA: directory, signatures and nonces. A refused request is sent again only for its nonce; other retries are
 * up to the schedule in the database.
 */
export class AcmeServer {
  readonly #nonces = new AcmeNonces();
  readonly #responseLimitMs: number;
  readonly #breaker = new CircuitBreaker(SILENCE);
  #directory: Promise<Directory> | undefined;
  #readAt = 0;

  constructor(
    readonly directoryUrl: string,
    responseLimitMs = RESPONSE_LIMIT_MS,
  ) {
    this.#responseLimitMs = responseLimitMs;
  }

  /** Whether it has not answered so many requests that it gets only trials. */
  get isSilent(): boolean {
    return this.#breaker.isOpen;
  }

  /** Cached for an hour. After that the old one is used until a new one is read. */
  async directory(signal: AbortSignal): Promise<Directory> {
    if (this.#directory === undefined) {
      this.#readAt = performance.now();
      this.#directory = this.#readDirectory();
      this.#directory.catch(() => (this.#directory = undefined));
    } else if (performance.now() - this.#readAt >= DIRECTORY_MAX_AGE_MS) {
      this.#readAt = performance.now();
      this.#readDirectory().then(
        (directory) => (this.#directory = Promise.resolve(directory)),
        () => undefined,
      );
    }
    return abortable(this.#directory, signal);
  }

  /** @throws CaError when the CA refuses, or its response does not match the schema */
  async get<Schema extends z.ZodType>(
    url: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<CaAnswer<z.infer<Schema>>> {
    this.#assertSafe(url);
    const reply = await this.#ask(url, { method: 'GET' }, signal);
    return readAnswer(accepted(reply), schema);
  }

  /**
   * A signed request.
   * @param request `key` signs it; `accountUrl` is null before the account exists; `payload` is undefined for a read (POST-as-GET)
   * @throws CaError when the CA refuses
   */
  async post(
    url: string,
    request: {
      readonly key: KeyObject;
      readonly accountUrl: string | null;
      readonly payload?: object;
      readonly accept?: string;
    },
    signal: AbortSignal,
  ): Promise<CaReply> {
    const { key, accept, ...unsigned } = request;
    this.#assertSafe(url);
    for (let attempt = 1; ; attempt += 1) {
      const nonce = this.#nonces.take() ?? (await this.#newNonce(signal));
      const body = signRequest(key, { ...unsigned, url, nonce });
      const reply = await this.#ask(url, { method: 'POST', body, ...(accept !== undefined && { accept }) }, signal);
      const isRefused = reply.status >= 400 && refusalOf(reply).type === problemType.badNonce;
      if (isRefused) this.#nonces.clear();
      if (reply.nonce !== null) this.#nonces.put(reply.nonce);
      if (!isRefused || attempt === NONCE_ATTEMPTS) return accepted(reply);
    }
  }

  async #ask(url: string, request: CaRequest, signal: AbortSignal): Promise<CaReply> {
    const beganMs = performance.now();
    if (!this.#breaker.admit()) throw new CaError(plainProblem(`the CA at ${new URL(url).host} does not answer`));
    try {
      const reply = await askCa(url, request, signal, this.#responseLimitMs);
      this.#breaker.record(true);
      return reply;
    } catch (error) {
      // An aborted job says nothing about the CA, and a refused connection occupies nothing.
      const isSilent = performance.now() - beganMs >= this.#responseLimitMs / 2;
      if (isSilent && !signal.aborted) this.#breaker.record(false);
      throw error;
    }
  }

  async #newNonce(signal: AbortSignal): Promise<string> {
    const { newNonce } = await this.directory(signal);
    this.#assertSafe(newNonce);
    const { nonce } = accepted(await this.#ask(newNonce, { method: 'HEAD' }, signal));
    if (nonce === null) throw new CaError(plainProblem('the CA returned no nonce'));
    return nonce;
  }

  async #readDirectory(): Promise<Directory> {
    return (await this.get(this.directoryUrl, directorySchema, AbortSignal.timeout(DIRECTORY_LIMIT_MS))).value;
  }

  /** A CA with a https directory must not name http URLs. */
  #assertSafe(url: string): void {
    if (url.startsWith('https://')) return;
    if (url.startsWith('http://') && this.directoryUrl.startsWith('http://')) return;
    throw new CaError(plainProblem(`the CA names ${url}, which is not a https URL`));
  }
}

/** Unused nonces from responses (RFC 8555 §6.5). The newest is used first. */
export class AcmeNonces {
  readonly #unused: { readonly nonce: string; readonly addedAtMs: number }[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  put(nonce: string): void {
    this.#unused.push({ nonce, addedAtMs: this.#nowMs() });
    if (this.#unused.length > MAX_NONCES) this.#unused.shift();
  }

  /** Undefined when there is none: request one from the CA. */
  take(): string | undefined {
    const newest = this.#unused.pop();
    if (newest !== undefined && this.#nowMs() - newest.addedAtMs < NONCE_MAX_AGE_MS) return newest.nonce;
    this.clear();
    return undefined;
  }

  /** After a refused nonce, older ones may be invalid for the same reason. */
  clear(): void {
    this.#unused.length = 0;
  }
}

/** @throws CaError when the body does not match the schema */
export function readAnswer<Schema extends z.ZodType>(reply: CaReply, schema: Schema): CaAnswer<z.infer<Schema>> {
  const { status, contentType, retryAt } = reply;
  const body = parseJson(reply.text);
  if (body === undefined)
    throw new CaError({ ...plainProblem(`the CA returned ${contentType} instead of JSON`), status });
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data, retryAt };
  const [issue] = parsed.error.issues;
  const detail = `the response of the CA is invalid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  throw new CaError({ ...plainProblem(detail), status });
}

function accepted(reply: CaReply): CaReply {
  if (reply.status >= 400) throw new CaError(refusalOf(reply));
  return reply;
}

function refusalOf({ text, status, retryAfter }: CaReply) {
  return readProblem(parseJson(text), status, retryAfter, new Date());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
