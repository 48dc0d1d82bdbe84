import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listInvitationsQuerySchema,
  listPeopleQuerySchema,
  newInvitationSchema,
  personChangeSchema,
  removePersonQuerySchema,
  type ChangedPerson,
  type CreatedInvitation,
  type Invitation,
  type ListInvitationsQuery,
  type ListPeopleQuery,
  type NewInvitation,
  type Person,
  type PersonChange,
  type RemovePersonQuery,
} from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { InvitationsRepository, type InvitationRow } from './invitations.repository.js';
import { InvitationsService, invitationUrl } from './invitations.service.js';
import { PeopleRepository, presentPerson } from './people.repository.js';
import { PeopleService } from './people.service.js';

const PEOPLE_PATH = '/v1/people';

/** `/v1/people`: the people of the caller's organization. */
@Controller(PEOPLE_PATH)
export class PeopleController {
  constructor(
    private readonly rows: PeopleRepository,
    private readonly people: PeopleService,
    private readonly pages: Pages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listPeopleQuerySchema }) { limit, cursor }: ListPeopleQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Person[]> {
    const request = { path: PEOPLE_PATH, organizationId, limit, cursor, filters: {} };
    const page = await this.pages.cutFound(reply, request, (bounds) => this.rows.list(organizationId, bounds));
    return page.map(presentPerson);
  }

  @Patch(':personId')
  async update(
    @CurrentPrincipal() caller: Principal,
    @Param('personId', { schema: idSchema }) id: string,
    @Body({ schema: personChangeSchema }) { role }: PersonChange,
  ): Promise<ChangedPerson> {
    const { person, revoked } = await this.people.changeRole(caller, id, role, this.clock());
    return { ...presentPerson(person), revokedApiKeys: revoked };
  }

  @Delete(':personId')
  @HttpCode(204)
  async remove(
    @CurrentPrincipal() caller: Principal,
    @Param('personId', { schema: idSchema }) id: string,
    @Query({ schema: removePersonQuerySchema }) { keys }: RemovePersonQuery,
  ): Promise<void> {
    await this.people.remove(caller, id, keys, this.clock());
  }
}

const INVITATIONS_PATH = '/v1/invitations';

/** `/v1/invitations`: invitations to the caller's organization. */
@Controller(INVITATIONS_PATH)
export class InvitationsController {
  constructor(
    private readonly rows: InvitationsRepository,
    private readonly invitations: InvitationsService,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listInvitationsQuerySchema }) { limit, cursor }: ListInvitationsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Invitation[]> {
    const request = { path: INVITATIONS_PATH, organizationId, limit, cursor, filters: {} };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.rows.list(organizationId, bounds, this.clock()),
    );
    return page.map(present);
  }

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newInvitationSchema }) body: NewInvitation,
  ): Promise<CreatedInvitation | JsonText> {
    return this.idempotency.run(call, async (db) => {
      if (this.config.OIDC_ISSUER_URL === undefined)
        throw new RequestError(
          'conflict',
          'Nobody could use an invitation: the operator has not set up an identity provider. Use API keys.',
        );
      const { principal } = call;
      const created = await this.invitations.create(db, principal.organizationId, principal, body, this.clock());
      const url = invitationUrl(dashboardOriginOf(this.config), created.token);
      return { body: { ...present(created.row), url } };
    });
  }

  @Delete(':invitationId')
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() caller: Principal,
    @Param('invitationId', { schema: idSchema }) id: string,
  ): Promise<void> {
    await this.invitations.delete(caller, id, this.clock());
  }
}

function present({ id, name, role, createdAt, expiresAt }: InvitationRow): Invitation {
  return { id, name, role, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
