import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import type { RoutableDomain } from './compile-routes.js';

/** Inputs of the route compiler besides the projects and their suspensions. */
@Injectable()
export class RoutableProjectsRepository {
  /** Content hash of the served deployment, by project id, without projects that have no deployment. */
  async findServedHashes(tx: Tx, projectIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await sql<{ projectId: string; contentHash: string }>`
      select p.id as "projectId", (
        select d.content_hash from deployments d
        where d.project_id = p.id and d.state = 'ready' order by d.activation desc limit 1
      ) as "contentHash"
      from unnest(${projectIds}::uuid[]) as p (id)`.execute(tx);
    return new Map(
      rows.filter(({ contentHash }) => contentHash !== null).map((row) => [row.projectId, row.contentHash]),
    );
  }

  /** Verified and live domains of some projects, each with its newest certificate, by project id. */
  async listDomains(tx: Tx, projectIds: readonly string[]): Promise<Map<string, RoutableDomain[]>> {
    const { rows } = await sql<RoutableDomain & { readonly projectId: string }>`
      select d.project_id as "projectId", d.name, n.id as "certificateId", n.not_after as "certificateEndsAt",
        ${suspensionsOfDomain} as suspensions
      from domains d left join lateral (
        select c.id, c.not_after from certificates c where c.domain_id = d.id and c.state = 'issued'
        order by c.issued_at desc limit 1
      ) n on true
      where d.project_id = any(${projectIds}) and d.state in ('verified', 'live')`.execute(tx);
    return Map.groupBy(rows, ({ projectId }) => projectId);
  }
}
