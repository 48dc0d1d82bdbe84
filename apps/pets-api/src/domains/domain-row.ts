import type { CertificateAlert, DomainIssue, DomainState, ObservedRecord, RecordConflict } from '@pets/contracts';
import type { Suspension } from '@pets/domains';
import { sql } from 'kysely';
import { hasOtherClaims, wwwTargetToken } from './other-claims.js';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';

/** A domain with the tokens of its claim and the two facts about others that its fate depends on. */
export interface DomainRow {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly unicodeName: string;
  readonly apexName: string;
  readonly state: DomainState;
  readonly misconfigured: boolean;
  readonly generation: number;
  readonly generationBeganAt: Date;
  readonly requestedAt: Date;
  readonly checkedAt: Date | null;
  readonly ownershipProvenAt: Date | null;
  /** Of its zone; empty until a check could tell. */
  readonly nameServers: readonly string[];
  readonly observed: readonly ObservedRecord[];
  readonly conflicts: readonly RecordConflict[];
  readonly dnsIssues: readonly DomainIssue[];
  readonly certificateIssues: readonly DomainIssue[];
  /** What the owner was told of the certificate last. */
  readonly certificateAlert: CertificateAlert | null;
  readonly removedVersion: bigint | null;
  readonly createdAt: Date;
  readonly verifiedAt: Date | null;
  readonly liveAt: Date | null;
  readonly removedAt: Date | null;
  readonly targetToken: string;
  readonly ownershipToken: string;
  /** Another organization has had the name verified, or it is an apex that another has in a project. */
  readonly hasOtherClaims: boolean;
  /** Of an apex: the token in the target of its `www.` name, where holding that may prove whose the apex is. */
  readonly wwwTargetToken: string | null;
  /** Another organization has it verified or live; of a removed one, whether anybody has it again. */
  readonly isClaimedElsewhere: boolean;
  /** Of an apex or its `www.` name: the id of the other one, where the project has it. */
  readonly pairedWith: string | null;
  /** Everything that suspends it: itself, its project, its organization. */
  readonly suspensions: readonly Suspension[];
  /** Since when the plan does not include it, while that has not suspended it yet. */
  readonly planEndedAt: Date | null;
}

/** What may become of a domain; what is not named stays. */
export type DomainChange = Partial<
  Pick<
    DomainRow,
    | 'state'
    | 'misconfigured'
    | 'generation'
    | 'generationBeganAt'
    | 'requestedAt'
    | 'checkedAt'
    | 'ownershipProvenAt'
    | 'nameServers'
    | 'observed'
    | 'conflicts'
    | 'dnsIssues'
    | 'certificateIssues'
    | 'certificateAlert'
    | 'removedVersion'
    | 'verifiedAt'
    | 'liveAt'
    | 'removedAt'
  >
>;

/** What a statement that reads domains starts with. */
export const selectDomains = sql`
  select d.id, d.organization_id as "organizationId", d.project_id as "projectId", d.name, d.unicode_name as "unicodeName",
    d.apex_name as "apexName", d.state, d.misconfigured, d.generation, d.generation_began_at as "generationBeganAt",
    d.requested_at as "requestedAt", d.checked_at as "checkedAt", d.ownership_proven_at as "ownershipProvenAt",
    d.name_servers as "nameServers", d.observed, d.conflicts, d.dns_issues as "dnsIssues", d.certificate_issues as "certificateIssues",
    d.certificate_alert as "certificateAlert", d.removed_version as "removedVersion", d.created_at as "createdAt", d.verified_at as "verifiedAt", d.live_at as "liveAt",
    d.removed_at as "removedAt", c.target_token as "targetToken", c.ownership_token as "ownershipToken",
    ${hasOtherClaims} as "hasOtherClaims", ${wwwTargetToken} as "wwwTargetToken",
    exists (select from domains o where o.name = d.name and o.id <> d.id and o.state in ('verified', 'live'))
      or exists (
        select from domains o where o.organization_id = d.organization_id and o.name = d.name and o.id <> d.id
          and o.state <> 'removed'
      ) as "isClaimedElsewhere",
    (
      select p.id from domains p where p.organization_id = d.organization_id and p.project_id = d.project_id
        and p.state <> 'removed' and d.state <> 'removed' and p.name = case
          when d.name = d.apex_name then 'www.' || d.apex_name
          when d.name = 'www.' || d.apex_name then d.apex_name
        end
    ) as "pairedWith",
    ${suspensionsOfDomain} as suspensions,
    (select g.since from plan_changes g where g.organization_id = d.organization_id and g.action = 'suspend') as "planEndedAt"
  from domains d join domain_claims c using (organization_id, name)`;
