import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, seal, unseal } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { idempotentAnswerBinding } from '../../platform/encryption-keys/bindings.js';
import { ProjectQueues } from '../../platform/project-queues.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { sha256 } from '../../platform/hashes.js';
import { stringifyWithBigInt } from '../json-body.js';
import { fingerprintOf, type IdempotentCall } from './idempotent-call.js';

/** An idempotency key of an API key for a path. */
interface AnswerScope {
  readonly apiKeyId: string;
  readonly path: string;
  readonly key: string;
}

interface KeptAnswer {
  readonly fingerprint: Buffer;
  readonly location: string | null;
  /** Sealed. */
  readonly answer: string;
}

@Injectable()
export class IdempotentAnswersRepository {
  /** Locks a key until the transaction ends, without waiting. @returns false when another request has it */
  async tryLock(tx: Tx, { apiKeyId, path, key }: AnswerScope): Promise<boolean> {
    const name = sha256(`idempotent_answers|${apiKeyId}|${path}|${key}`);
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${name.readBigInt64BE()}::bigint) as locked`.execute(tx);
    return rows[0]?.locked === true;
  }

  /** Null also for an expired answer. */
  async find(tx: Database | Tx, { apiKeyId, path, key }: AnswerScope, now: Date): Promise<KeptAnswer | null> {
    const row = await tx
      .selectFrom('idempotent_answers')
      .select(['fingerprint', 'location', 'answer'])
      .where('api_key_id', '=', apiKeyId)
      .where('path', '=', path)
      .where('key', '=', key)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Replaces an expired answer that is not deleted yet. */
  async keep(
    tx: Tx,
    { apiKeyId, path, key }: AnswerScope,
    { fingerprint, location, answer, expiresAt }: KeptAnswer & { readonly expiresAt: Date },
  ): Promise<void> {
    const values = { fingerprint, location, answer, expires_at: expiresAt };
    await tx
      .insertInto('idempotent_answers')
      .values({ api_key_id: apiKeyId, path, key, ...values })
      .onConflict((conflict) => conflict.columns(['api_key_id', 'path', 'key']).doUpdateSet(values))
      .execute();
  }
}

/** Repeated requests get the stored response for this long. */
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

/** The response of an operation, except for its status. */
interface Answer<Body> {
  readonly body: Body;
  readonly location?: string;
}

/** A serialized body. */
export type JsonText = string;

interface KeyedAnswer {
  readonly text: JsonText;
  readonly location: string | null;
  readonly isReplayed: boolean;
}

/**
 * Runs the effect of a POST once for each key (draft-ietf-httpapi-idempotency-key-header). Lock, effect and response
 * are one transaction, so a repeated request finds both effect and response or neither, even after a crash. A refused
 * or failed request stores nothing, so a repetition runs.
 *
 * The effect must use the given handle for every statement, and do nothing that a rollback would not undo.
 */
@Injectable()
export class Idempotency {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly answers: IdempotentAnswersRepository,
    private readonly queues: ProjectQueues,
  ) {}

  /**
   * Answers a call, and sets the headers of the answer. Without a key, the effect runs without a transaction. With one, the
   * transaction begins after those before it in the queues of the projects that it locks.
   * @param alsoLocked projects besides that of the path
   * @throws RequestError `idempotency_in_progress`, `idempotency_key_reused`, and what the effect throws
   */
  async run<Body extends object | JsonText>(
    call: IdempotentCall,
    effect: (db: Database, tx: Tx | undefined) => Promise<Answer<Body>>,
    alsoLocked: readonly string[] = [],
  ): Promise<Body | JsonText> {
    const { principal, path, key, projectId, reply } = call;
    if (key === null) {
      const { body, location } = await effect(this.db, undefined);
      if (location !== undefined) reply.header('location', location);
      return body;
    }
    const scope = { apiKeyId: principal.apiKeyId, path, key };
    const projects = projectId === null ? [] : [projectId, ...alsoLocked];
    const answer = this.queues.run(projects, () => this.runOnce(scope, fingerprintOf(call.body), effect));
    return send(reply, await answer);
  }

  /**
   * The same for an effect that may run twice without harm, in transactions of its own: after a crash or a concurrent
   * repetition it runs again. The first response is stored, and returned from then on.
   * @throws RequestError `idempotency_key_reused`, and what the effect throws
   */
  async runRepeatable<Body extends object>(
    { principal, path, key, reply, body: sent }: IdempotentCall,
    effect: () => Promise<Body>,
  ): Promise<Body | JsonText> {
    if (key === null) return effect();
    const scope = { apiKeyId: principal.apiKeyId, path, key };
    const fingerprint = fingerprintOf(sent);
    const kept = await this.answers.find(this.db, scope, this.clock());
    if (kept !== null) return send(reply, this.replay(scope, fingerprint, kept));
    const body = await effect();
    return send(reply, await this.runOnce(scope, fingerprint, () => Promise.resolve({ body })));
  }

  private runOnce(
    scope: AnswerScope,
    fingerprint: Buffer,
    effect: (db: Database, tx: Tx) => Promise<Answer<object | JsonText>>,
  ): Promise<KeyedAnswer> {
    const now = this.clock();
    // A snapshot for each statement, so that the lookup sees what was committed before the lock was acquired.
    const transaction = this.db.transaction().setIsolationLevel('read committed');
    return transaction.execute(async (tx) => {
      const isLocked = await this.answers.tryLock(tx, scope);
      const kept = await this.answers.find(tx, scope, now);
      if (kept !== null) return this.replay(scope, fingerprint, kept);
      if (!isLocked) throw inProgress();
      const { body, location = null } = await effect(tx, tx);
      const text = typeof body === 'string' ? body : stringifyWithBigInt(body);
      const answer = seal(this.config.CERTIFICATE_KEKS, text, idempotentAnswerBinding(scope));
      const expiresAt = new Date(now.getTime() + LIFETIME_MS);
      await this.answers.keep(tx, scope, { fingerprint, location, answer, expiresAt });
      return { text, location, isReplayed: false };
    });
  }

  private replay(scope: AnswerScope, fingerprint: Buffer, kept: KeptAnswer): KeyedAnswer {
    if (!kept.fingerprint.equals(fingerprint))
      throw new RequestError('idempotency_key_reused', 'This Idempotency-Key was already used with a different body.');
    const text = unseal(this.config.CERTIFICATE_KEKS, kept.answer, idempotentAnswerBinding(scope));
    return { text, location: kept.location, isReplayed: true };
  }
}

function send(reply: FastifyReply, { text, location, isReplayed }: KeyedAnswer): JsonText {
  if (location !== null) reply.header('location', location);
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  reply.type('application/json; charset=utf-8');
  return text;
}

function inProgress(): RequestError {
  const message = 'A request with this Idempotency-Key is still in progress.';
  return new RequestError('idempotency_in_progress', message, { 'retry-after': '1' });
}
