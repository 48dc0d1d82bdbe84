import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { listPetsQuerySchema, newPetSchema, type ListPetsQuery, type NewPet, type Pet } from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { CONFIG } from '../providers.js';
import { CursorCodec } from './cursor.js';
import { PetsRepository } from './pets.repository.js';

/** The animal store: `listPets` and `createPet`. */
@Controller('v1/pets')
export class PetsController {
  private readonly cursors: CursorCodec;

  constructor(
    private readonly pets: PetsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.cursors = new CursorCodec(config.APP_SECRET);
  }

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listPetsQuerySchema }) { limit, status, cursor }: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet[]> {
    const scope = { organizationId, status };
    const afterId = cursor === undefined ? null : this.cursors.decode(cursor, scope);
    const found = await this.pets.list(organizationId, { limit: limit + 1, status, afterId });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (found.length > limit && last !== undefined) {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(status && { status }),
        cursor: this.cursors.encode(last.id, scope),
      });
      reply.header('link', `<${this.config.PUBLIC_URL}/v1/pets?${query.toString()}>; rel="next"`);
    }
    return page;
  }

  @Post()
  async create(
    @CurrentPrincipal() { organizationId }: Principal,
    @Body({ schema: newPetSchema }) pet: NewPet,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet> {
    const created = await this.pets.insert(organizationId, pet);
    reply.header('location', `/v1/pets/${created.id}`);
    return created;
  }
}
