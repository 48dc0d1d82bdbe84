import type { KeyObject } from 'node:crypto';
import { abortable } from '@pets/async';
import type { z } from 'zod';
import { askCa, type CaReply } from './acme-http.js';
import { signRequest } from './acme-jws.js';
import { AcmeNonces } from './acme-nonces.js';
import { directorySchema, type Directory } from './acme-resources.js';
import { CaError, plainProblem, problemType, readProblem } from './ca-problem.js';

/** What a CA offers changes rarely. */
const DIRECTORY_KEPT_MS = 3_600_000;
const DIRECTORY_LIMIT_MS = 10_000;
/**
 * Refused nonces are the protocol's normal course (RFC 8555 §6.5). A CA rarely refuses twice; this many let one through
 * that refuses every other, once in a million.
 */
const NONCE_TRIES = 20;

export interface CaAnswer<T> {
  readonly value: T;
  /** What the answer's `Retry-After` said. */
  readonly retryAt: Date | null;
}

/**
 * A CA as its directory describes it, and how to ask it: signing and nonces. A request that is refused is not sent again,
 * but for its nonce; when to try again is for the schedule in the database.
 */
export class AcmeServer {
  readonly #nonces = new AcmeNonces();
  #directory: Promise<Directory> | undefined;
  #readAt = 0;

  constructor(
    readonly directoryUrl: string,
    readonly key: KeyObject,
  ) {}

  /** Kept for an hour. After that the old one serves on while a new one is read. */
  async directory(signal: AbortSignal): Promise<Directory> {
    if (this.#directory === undefined) {
      this.#readAt = performance.now();
      this.#directory = this.#readDirectory();
      this.#directory.catch(() => (this.#directory = undefined));
    } else if (performance.now() - this.#readAt >= DIRECTORY_KEPT_MS) {
      this.#readAt = performance.now();
      this.#readDirectory().then(
        (directory) => (this.#directory = Promise.resolve(directory)),
        () => undefined,
      );
    }
    return abortable(this.#directory, signal);
  }

  /** @throws CaError when the CA refuses, or answers with something else */
  async get<Schema extends z.ZodType>(
    url: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<CaAnswer<z.infer<Schema>>> {
    this.#assertSafe(url);
    const reply = await askCa(url, { method: 'GET' }, signal);
    return readAnswer(accepted(reply), schema);
  }

  /**
   * A signed request.
   * @param accountUrl null where there is no account yet
   * @param payload undefined to only read (POST-as-GET)
   * @throws CaError when the CA refuses
   */
  async post(
    url: string,
    request: { readonly accountUrl: string | null; readonly payload?: object; readonly accept?: string },
    signal: AbortSignal,
  ): Promise<CaReply> {
    const { accept, ...unsigned } = request;
    this.#assertSafe(url);
    for (let attempt = 1; ; attempt += 1) {
      const nonce = this.#nonces.take() ?? (await this.#newNonce(signal));
      const body = signRequest(this.key, { ...unsigned, url, nonce });
      const reply = await askCa(url, { method: 'POST', body, ...(accept !== undefined && { accept }) }, signal);
      const isRefused = reply.status >= 400 && refusalOf(reply).type === problemType.badNonce;
      if (isRefused) this.#nonces.clear();
      if (reply.nonce !== null) this.#nonces.put(reply.nonce);
      if (!isRefused || attempt === NONCE_TRIES) return accepted(reply);
    }
  }

  async #newNonce(signal: AbortSignal): Promise<string> {
    const { newNonce } = await this.directory(signal);
    this.#assertSafe(newNonce);
    const { nonce } = accepted(await askCa(newNonce, { method: 'HEAD' }, signal));
    if (nonce === null) throw new CaError(plainProblem('the CA gives no nonce'));
    return nonce;
  }

  async #readDirectory(): Promise<Directory> {
    return (await this.get(this.directoryUrl, directorySchema, AbortSignal.timeout(DIRECTORY_LIMIT_MS))).value;
  }

  /** A CA that is spoken to over TLS cannot lead away from it. */
  #assertSafe(url: string): void {
    if (url.startsWith('https://')) return;
    if (url.startsWith('http://') && this.directoryUrl.startsWith('http://')) return;
    throw new CaError(plainProblem(`the CA leads to ${url}, which is no safe address`));
  }
}

/** @throws CaError when the body is not what it should be */
export function readAnswer<Schema extends z.ZodType>(reply: CaReply, schema: Schema): CaAnswer<z.infer<Schema>> {
  const { status, contentType, retryAt } = reply;
  const body = parseJson(reply.text);
  if (body === undefined) throw new CaError({ ...plainProblem(`the CA answered ${contentType} and not JSON`), status });
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data, retryAt };
  const [issue] = parsed.error.issues;
  const detail = `the CA’s answer lacks something: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
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
