/**
 * Decides which person an identity is, in this order: the person with its issuer and subject, to whom an invitation may give a
 * higher role; a new one with the role of an invitation; a new one in the organization that a claim names. A membership that a
 * claim began ends at the first sign-in without it. Nobody is found by an e-mail address.
 */
import { Inject, Injectable } from '@nestjs/common';
import { scopesMissingFor, scopesOfRole, type AuditDetail, type Role, type SignInRefusal } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { sha256 } from '../../platform/hashes.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { PersonalKeys } from '../api-keys/personal-keys.js';
import { PrincipalCache } from '../api-keys/authenticator.js';
import { AuditLog } from '../audit/audit-log.js';
import { actAs, type Requester } from '../audit/requester.js';
import { LimitsService } from '../limits/limits.service.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { InvitationsRepository, type TakenInvitation } from '../people/invitations.repository.js';
import { PeopleRepository, type FormerPerson, type PersonRow } from '../people/people.repository.js';
import { PeopleService } from '../people/people.service.js';
import { namesOrganization, organizationIn, roleIn, type Identity } from './identity-provider.js';
import { RefusedSignIns, type Refusal } from './refused-sign-ins.js';

/** People of one organization: a claim could add any number. */
const MAX_PEOPLE = 10_000;

export type Membership = { readonly person: PersonRow } | { readonly refused: SignInRefusal['reason'] };

/** A refusal, with the organization that it concerns if it is known. */
interface Refused {
  readonly refused: SignInRefusal['reason'];
  readonly by?: Omit<Refusal, 'reason'>;
}

type Resolution = { readonly person: PersonRow } | Refused;

/** A role, and for the audit log what sets it. */
interface CausedRole {
  readonly role: Role;
  readonly cause: AuditDetail;
}

/** How somebody is added, for the audit log. */
interface Addition {
  readonly organizationId: string;
  readonly role: Role;
  readonly by: 'invitation' | 'claim';
  /** For the audit log: the invitation and who invited, or the claim. */
  readonly cause: AuditDetail;
}

@Injectable()
export class MembershipService {
  constructor(
    private readonly people: PeopleRepository,
    private readonly roles: PeopleService,
    private readonly invitations: InvitationsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly limits: LimitsService,
    private readonly cache: PrincipalCache,
    private readonly audit: AuditLog,
    private readonly personalKeys: PersonalKeys,
    private readonly refusedSignIns: RefusedSignIns,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @param from address and id of the request, for the audit log */
  async resolve(
    identity: Identity,
    invitation: string | null,
    from: Pick<Requester, 'address' | 'requestId'>,
    now: Date,
  ): Promise<Membership> {
    await this.endUnclaimed(identity, from, now);
    const membership = await this.db.transaction().execute(async (tx): Promise<Membership> => {
      const resolution = await this.resolveIn(tx, identity, invitation, from, now);
      if ('refused' in resolution && resolution.by !== undefined)
        await this.refusedSignIns.record(tx, identity, { ...resolution.by, reason: resolution.refused }, from);
      return resolution;
    });
    this.cache.forgetAll();
    return membership;
  }

  private async resolveIn(
    tx: Tx,
    identity: Identity,
    invitation: string | null,
    from: Pick<Requester, 'address' | 'requestId'>,
    now: Date,
  ): Promise<Resolution> {
    const known = await this.people.lockSubject(tx, identity);
    if (known !== null) return this.return(tx, known, identity, invitation, from, now);
    const addition =
      invitation === null ? await this.claimed(tx, identity) : await this.invited(tx, identity, invitation, now);
    return 'refused' in addition ? addition : this.addPerson(tx, identity, addition, from, now);
  }

  /** In a transaction of its own: the next one may lock another organization, and its refusal must not keep the membership. */
  private async endUnclaimed(identity: Identity, from: Pick<Requester, 'address' | 'requestId'>, now: Date) {
    const { OIDC_ORGANIZATION_CLAIM: claim } = this.config;
    if (claim === undefined) return;
    await this.db.transaction().execute(async (tx) => {
      const found = await this.people.lockSubject(tx, identity);
      if (!found?.isAddedByClaim || namesOrganization(identity.claims, claim, found.organizationId)) return;
      await this.limits.lock(tx, found.organizationId);
      // Somebody may have removed the person meanwhile.
      const person = await this.people.lock(tx, found.organizationId, found.id);
      if (person !== null) await actAs(asPerson(person, from), () => this.roles.endByClaim(tx, person, claim, now));
    });
  }

  private async return(
    tx: Tx,
    found: PersonRow,
    identity: Identity,
    invitation: string | null,
    from: Pick<Requester, 'address' | 'requestId'>,
    now: Date,
  ): Promise<Resolution> {
    const { organizationId } = found;
    if (invitation !== null) {
      const inviting = await this.invitations.find(tx, sha256(invitation));
      // The inviting organization does not learn who is a member of another one.
      if (inviting !== null && inviting.organizationId !== organizationId)
        return { refused: 'already_member', by: ofStranger(inviting) };
    }
    const by = { organizationId, personId: found.id };
    if (this.isClaimedElsewhere(identity, organizationId)) return { refused: 'other_organization', by };
    await this.limits.lock(tx, organizationId);
    // Somebody may have removed the person meanwhile.
    const person = await this.people.lock(tx, organizationId, found.id);
    if (person === null) return { refused: 'removed', by };
    await this.people.recordSignIn(tx, person.id, identity, now);
    const change = (await this.accept(tx, person, invitation, now)) ?? this.roleFor(person, identity);
    if (change !== null)
      await actAs(asPerson(person, from), () => this.roles.setRole(tx, person, { ...change, own: null }, now));
    return { person };
  }

  /**
   * Uses an invitation to the organization of a member, who then stays without the claim.
   * @returns the higher role of the two, so that no admin demotes an owner with a link; null if the invitation is invalid
   */
  private async accept(
    tx: Tx,
    { id, role }: PersonRow,
    invitation: string | null,
    now: Date,
  ): Promise<CausedRole | null> {
    const taken = invitation === null ? null : await this.invitations.take(tx, sha256(invitation), now);
    if (taken === null) return null;
    await this.people.keepWithoutClaim(tx, id);
    const isHigher = scopesMissingFor(taken.role, scopesOfRole[role]).length > 0;
    return { role: isHigher ? taken.role : role, cause: causeOf(taken) };
  }

  /**
   * The role of a member by the claims; null to leave it as it is. Without a role in the claim, somebody whom a claim added gets
   * the default role: the provider may have taken another one from them.
   */
  private roleFor({ organizationId, isAddedByClaim }: PersonRow, { claims }: Identity): CausedRole | null {
    const { OIDC_ORGANIZATION_CLAIM, OIDC_ROLE_CLAIM, OIDC_DEFAULT_ROLE } = this.config;
    if (OIDC_ORGANIZATION_CLAIM === undefined || OIDC_ROLE_CLAIM === undefined) return null;
    if (!namesOrganization(claims, OIDC_ORGANIZATION_CLAIM, organizationId)) return null;
    const role = roleIn(claims, OIDC_ROLE_CLAIM) ?? (isAddedByClaim ? OIDC_DEFAULT_ROLE : null);
    return role === null ? null : { role, cause: { by: 'claim', claim: OIDC_ROLE_CLAIM } };
  }

  /** Somebody with such a claim would be refused at the next sign-in. */
  private isClaimedElsewhere({ claims }: Identity, organizationId: string): boolean {
    const claimed = organizationIn(claims, this.config.OIDC_ORGANIZATION_CLAIM);
    return claimed !== null && claimed !== organizationId;
  }

  private async invited(tx: Tx, identity: Identity, token: string, now: Date): Promise<Addition | Refused> {
    const hash = sha256(token);
    const invitation = await this.invitations.find(tx, hash);
    if (invitation === null) return this.refuseFormer(tx, identity, 'invitation_invalid');
    const { organizationId } = invitation;
    const by = ofStranger(invitation);
    if (this.isClaimedElsewhere(identity, organizationId)) return { refused: 'other_organization', by };
    await this.limits.lock(tx, organizationId);
    const taken = await this.invitations.take(tx, hash, now);
    if (taken === null) return { refused: 'invitation_invalid', by };
    return { organizationId, role: taken.role, by: 'invitation', cause: causeOf(taken) };
  }

  private async claimed(tx: Tx, identity: Identity): Promise<Addition | Refused> {
    const { OIDC_ORGANIZATION_CLAIM: claim, OIDC_ROLE_CLAIM, OIDC_DEFAULT_ROLE } = this.config;
    const organizationId = organizationIn(identity.claims, claim);
    if (claim === undefined || organizationId === null || !(await this.organizations.exists(organizationId)))
      return this.refuseFormer(tx, identity, 'no_organization');
    await this.limits.lock(tx, organizationId);
    if (await this.people.wasRemoved(tx, organizationId, identity))
      return this.refuseFormer(tx, identity, 'removed', organizationId);
    const role = roleIn(identity.claims, OIDC_ROLE_CLAIM) ?? OIDC_DEFAULT_ROLE;
    return { organizationId, role, by: 'claim', cause: { by: 'claim', claim } };
  }

  /** Concerns the organization of which somebody was a member last. */
  private async refuseFormer(
    tx: Tx,
    identity: Identity,
    refused: Refused['refused'],
    organizationId?: string,
  ): Promise<Refused> {
    const all = await this.people.listFormer(tx, identity);
    const former = all.find((each) => organizationId === undefined || each.organizationId === organizationId);
    if (former === undefined) return { refused };
    return { refused, by: { organizationId: former.organizationId, personId: former.id } };
  }

  private async addPerson(
    tx: Tx,
    identity: Identity,
    { organizationId, role, by, cause }: Addition,
    from: Pick<Requester, 'address' | 'requestId'>,
    now: Date,
  ): Promise<Resolution> {
    const { issuer, subject, name, email } = identity;
    if ((await this.people.count(tx, organizationId)) >= MAX_PEOPLE)
      return { refused: 'organization_full', by: { organizationId, personId: null } };
    const apiKeyId = await this.keys.insertForPerson(tx, organizationId, scopesOfRole[role]);
    const isAddedByClaim = by === 'claim';
    const added = { organizationId, apiKeyId, issuer, subject, name, email, role, isAddedByClaim };
    const person = await this.people.insert(tx, added, now);
    const former = await this.people.listFormer(tx, identity);
    await this.personalKeys.takeOver(tx, person, idsIn(former, organizationId));
    const event = { organizationId, type: 'person.added', subject: { kind: 'person', id: person.id } } as const;
    await actAs(asPerson(person, from), () => this.audit.record(tx, { ...event, detail: { role, ...cause } }));
    return { person };
  }
}

/** For the audit log. */
function causeOf({ id, inviterKind, inviterId }: TakenInvitation): AuditDetail {
  return { by: 'invitation', invitation: id, inviterKind, inviterId };
}

function ofStranger({ id, organizationId }: Pick<TakenInvitation, 'id' | 'organizationId'>): Refused['by'] {
  return { organizationId, personId: null, invitation: id };
}

function idsIn(former: readonly FormerPerson[], organizationId: string): string[] {
  return former.filter((each) => each.organizationId === organizationId).map(({ id }) => id);
}

/** The actor of what a person does by signing in. */
export function asPerson(
  { id, apiKeyId }: PersonRow,
  { address, requestId }: Pick<Requester, 'address' | 'requestId'>,
): () => Requester {
  return () => ({ kind: 'person', apiKeyId, personId: id, name: null, address, requestId });
}
