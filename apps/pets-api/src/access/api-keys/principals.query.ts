import { Inject, Injectable } from '@nestjs/common';
import type { Database, Pipeline } from '@pets/persistence';
import type { CompiledQuery, InferResult } from 'kysely';
import type { Principal } from '../../http/principal.js';
import { AUTHENTICATION, DATABASE } from '../../platform/providers.js';
import { limitRows, type LimitRows } from '../limits/limits.service.js';
import { organizationSuspension } from '../suspensions/suspensions.repository.js';
import { isValidAt } from './api-keys.repository.js';

/** A principal without its limits: limits without a row come from the settings of this process. */
export type FoundPrincipal = Omit<Principal, 'limits'> & { readonly limitRows: LimitRows };

/**
 * Finds whose a key or a session is. The statements have a connection of their own (`Pipeline`): a request that is not yet
 * known to be somebody's waits for nobody's transactions.
 */
@Injectable()
export class PrincipalsQuery {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(AUTHENTICATION) private readonly pipeline: Pipeline,
  ) {}

  /** The principal of a key, by its hash; null when the key does not exist, was revoked or has expired. */
  async ofKey(hash: Buffer, now: Date): Promise<FoundPrincipal | null> {
    const query = this.db
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.organization_id', 'api_keys.scopes', 'organizations.plan'])
      .select([limitRows.as('limitRows'), organizationSuspension.as('suspendedFor')])
      .where('api_keys.hash', '=', hash)
      .where(isValidAt(now));
    const row = await this.first<InferResult<typeof query>[number]>('principal_of_key', query.compile());
    if (row === undefined) return null;
    return { ...ofOrganization(row), apiKeyId: row.id, sessionId: null, person: null };
  }

  /** The principal of a session, by its hash. A session is valid only as long as the key that opened it. */
  async ofSession(hash: Buffer, now: Date): Promise<FoundPrincipal | null> {
    const query = this.db
      .selectFrom('sessions')
      .innerJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .leftJoin('people', 'people.api_key_id', 'api_keys.id')
      .select([
        'sessions.id',
        'sessions.api_key_id',
        'sessions.created_at',
        'people.id as personId',
        'api_keys.organization_id',
        'api_keys.scopes',
        'organizations.plan',
      ])
      .select([limitRows.as('limitRows'), organizationSuspension.as('suspendedFor')])
      .where('sessions.hash', '=', hash)
      .where('sessions.expires_at', '>', now)
      .where(isValidAt(now));
    const row = await this.first<InferResult<typeof query>[number]>('principal_of_session', query.compile());
    if (row === undefined) return null;
    const person = row.personId === null ? null : { id: row.personId, signedInAt: row.created_at };
    return { ...ofOrganization(row), apiKeyId: row.api_key_id, sessionId: row.id, person };
  }

  private async first<Row extends object>(name: string, { sql, parameters }: CompiledQuery): Promise<Row | undefined> {
    const values = parameters.map((value) =>
      value instanceof Date ? value.toISOString() : (value as string | Buffer),
    );
    const { rows } = await this.pipeline.query<Row>({ name, text: sql, values });
    return rows[0];
  }
}

type OfOrganization = Pick<FoundPrincipal, 'organizationId' | 'plan' | 'scopes' | 'suspendedFor' | 'limitRows'>;

function ofOrganization({
  organization_id: organizationId,
  plan,
  scopes,
  suspendedFor,
  limitRows: rows,
}: Omit<OfOrganization, 'organizationId'> & { readonly organization_id: string }): OfOrganization {
  return { organizationId, plan, scopes, suspendedFor, limitRows: rows };
}
