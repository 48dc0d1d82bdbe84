import { Body, Controller, Get, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import {
  listPetsQuerySchema,
  newPetSchema,
  petPathSchema,
  type ListPetsQuery,
  type NewPet,
  type Pet,
  type PetPath,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { Idempotency, type JsonText } from '../idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../idempotency/idempotent-call.js';
import { Pages } from '../listing/pages.js';
import { GetPetDeprecationGuard } from './get-pet-deprecation.guard.js';
import { PetsPageQuery } from './pets-page.query.js';
import { PetsRepository } from './pets.repository.js';

/** The animal store: `listPets`, `createPet` and, until its sunset, `getPet`. */
@Controller('v1/pets')
export class PetsController {
  constructor(
    private readonly pets: PetsRepository,
    private readonly page: PetsPageQuery,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
  ) {}

  /** Answers the JSON text that the database wrote. */
  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listPetsQuerySchema }) { limit, cursor, status }: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const request = { path: '/v1/pets', organizationId, limit, cursor, filters: { status } };
    const { json, lastId } = await this.page.run(organizationId, this.pages.begin(request), status);
    if (lastId !== null) this.pages.announceNext(reply, request, lastId);
    reply.type('application/json; charset=utf-8');
    return json;
  }

  @Post()
  create(@CurrentCall() call: IdempotentCall, @Body({ schema: newPetSchema }) pet: NewPet): Promise<Pet | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const created = await this.pets.insert(db, call.principal.organizationId, pet);
      return { body: created, location: `/v1/pets/${created.id}` };
    });
  }

  /** Deprecated: see `get-pet-deprecation.ts`. */
  @Get(':petId')
  @UseGuards(GetPetDeprecationGuard)
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param({ schema: petPathSchema }) { petId }: PetPath,
  ): Promise<Pet> {
    return this.pets.get(organizationId, petId);
  }
}
