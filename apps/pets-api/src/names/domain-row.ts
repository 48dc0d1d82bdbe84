import type { Suspension } from '@pets/domains';
import { selectList, type CamelCase, type RecordColumns, type Tables } from '@pets/persistence';
import { sql, type Selectable } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { excludedNames, hasOtherClaims, wildcardTargetToken, wwwTargetToken } from './related-names.js';

type Columns = Selectable<Tables['domains']>;

/** Columns that a transition writes, with their SQL types. A new column of a domain goes here or into `fixedColumns`. */
export const writtenColumns = {
  state: 'text',
  misconfigured: 'boolean',
  generation: 'integer',
  generation_began_at: 'timestamptz',
  requested_at: 'timestamptz',
  checked_at: 'timestamptz',
  ownership_proven_at: 'timestamptz',
  observed: 'jsonb',
  name_servers: 'jsonb',
  zone: 'text',
  matched_addresses: 'inet[]',
  delegated_at: 'timestamptz',
  prepared_at: 'timestamptz',
  ready_at: 'timestamptz',
  elsewhere_since: 'timestamptz',
  conflicts: 'jsonb',
  former_records: 'jsonb',
  dns_issues: 'jsonb',
  certificate_issues: 'jsonb',
  certificate_alert: 'text',
  verified_at: 'timestamptz',
  live_at: 'timestamptz',
  removed_at: 'timestamptz',
} as const satisfies RecordColumns<Columns>;

/** Columns that are written when the domain is added, or by a statement of their own. */
const fixedColumns = [
  'id',
  'organization_id',
  'project_id',
  'name',
  'unicode_name',
  'apex_name',
  'external_id',
  'metadata',
  'channel',
  'created_at',
  'removed_version',
] as const satisfies readonly (keyof Columns)[];

type WrittenColumn = keyof typeof writtenColumns;
type RowOf<Column extends keyof Columns> = { readonly [Name in Column as CamelCase<Name>]: Columns[Name] };

/** A domain with the tokens of its claim and the facts about other domains that its transitions depend on. */
export interface DomainRow extends RowOf<WrittenColumn | (typeof fixedColumns)[number]> {
  readonly targetToken: string;
  readonly ownershipToken: string;
  /** The label of the target to which the owner may delegate challenges. */
  readonly delegationToken: string;
  /** Another organization has had the name verified, or has the same apex in a project. */
  readonly hasOtherClaims: boolean;
  /** For an apex: the token in the target of its `www.` name, where that can prove its ownership. */
  readonly wwwTargetToken: string | null;
  /** The token in the target of the organization's own wildcard that covers the name; null without one. */
  readonly wildcardTargetToken: string | null;
  /** Names that a wildcard covers and that are not served. */
  readonly excludedNames: readonly string[] | null;
  /** Another organization has the name verified or live, or the same organization has added it again. */
  readonly isClaimedElsewhere: boolean;
  /** For an apex or its `www.` name: the id of the other one, when the project has it. */
  readonly pairedWith: string | null;
  /** The id of the origin of its own; null without one. */
  readonly originId: string | null;
  /** Suspensions of the domain, its project and its organization. */
  readonly suspensions: readonly Suspension[];
  /** When the plan stopped including the domain, until the domain is suspended for it. */
  readonly planEndedAt: Date | null;
}

/** The fields that a transition changes. */
export type DomainChange = Partial<RowOf<WrittenColumn>>;

/**
 * Condition on a certificate `c`: the CA has accepted its order, and no newer attempt has replaced it. Without its key,
 * which is swept a day after the end of the order, nobody can use the certificate.
 */
export const isOpenOrder = sql`c.state = 'pending' and c.order_url is not null and c.ordered is null and c.has_key`;

/** Condition on a domain `d`, for claims of work. */
export const hasOpenOrder = sql`exists (select from certificates c where c.domain_id = d.id and ${isOpenOrder})`;

/** The start of every statement that reads domains. */
export const selectDomains = sql`
  select ${selectList('d', [...fixedColumns, ...Object.keys(writtenColumns)])},
    c.target_token as "targetToken", c.ownership_token as "ownershipToken", d.delegation_token as "delegationToken",
    ${hasOtherClaims} as "hasOtherClaims", ${wwwTargetToken} as "wwwTargetToken",
    ${wildcardTargetToken} as "wildcardTargetToken", ${excludedNames} as "excludedNames",
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
    (select o.id from origins o where o.domain_id = d.id) as "originId",
    ${suspensionsOfDomain} as suspensions,
    (select g.since from plan_changes g where g.organization_id = d.organization_id and g.action = 'suspend') as "planEndedAt"
  from domains d join domain_claims c using (organization_id, name)`;
