import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Query, Res } from '@nestjs/common';
import {
  listPeopleQuerySchema,
  personChangeSchema,
  removePersonQuerySchema,
  type ChangedPerson,
  type ListPeopleQuery,
  type Person,
  type PersonChange,
  type RemovePersonQuery,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { Pages } from '../../http/paging/pages.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { PeopleRepository, presentPerson } from './people.repository.js';
import { PeopleService } from './people.service.js';

const PATH = '/v1/people';

/** `/v1/people`: the people of the caller's organization. */
@Controller(PATH)
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
    const request = { path: PATH, organizationId, limit, cursor, filters: {} };
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
