import { sql } from 'kysely';
import type { IssuanceAttempt } from '../../src/certificates/issuance-plans.service.js';
import type { TestApi } from '../harness.js';

/** Verified domains of an organization that want their first certificate. */
export async function addVerified(api: TestApi, domains: number, apexName: string): Promise<IssuanceAttempt[]> {
  const { organizationId } = await api.createOrganization('pro');
  const { rows } = await sql<IssuanceAttempt>`
    with project as (
      insert into projects (organization_id, name, slug) values (${organizationId}, 'Many', 'many') returning *
    ),
    names as (select 'd' || n || '.' || ${apexName} as name, 't' || n || '.' || ${apexName} as token
      from generate_series(1, ${domains}::integer) n),
    claims as (
      insert into domain_claims (organization_id, name, target_token, ownership_token)
      select ${organizationId}, name, token, token from names
    ),
    added as (
      insert into domains
        (organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at, requested_at)
      select p.organization_id, p.id, n.name, n.name, ${apexName}, 'verified', now(), now() from names n, project p
      returning *
    ),
    work as (insert into domain_work (domain_id, kind, organization_id, priority) select id, 'issuance', organization_id, 1 from added)
    select id as "domainId", organization_id as "organizationId", name, apex_name as "apexName", 1 as generation,
      1 as attempt from added`.execute(api.db);
  return rows;
}
