import { Injectable } from '@nestjs/common';
import { listPetsQuerySchema, newPetSchema } from '@pets/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { idempotentCallOf } from '../../http/idempotency/idempotent-call.js';
import { parseBody, parseQuery } from '../../http/input-validation.js';
import { type ListRequest, Pages } from '../../http/paging/pages.js';
import { principalOf } from '../../http/principal.js';
import { PetsPageQuery, PetsRepository, type PetFilters, type PetsPage } from './pets.repository.js';

const PATH = '/v1/pets';

interface ListAnswer {
  readonly json: JsonText;
  readonly link: string | null;
}

/**
 * `listPets` and `createPet`, as routes of Fastify: the steps of Nest before a handler, each awaited, would cost as
 * much as the work. The hooks (messages, key, limits, scope, headers) are those of every route. Both answer the JSON
 * that PostgreSQL stores with an animal, so that no row becomes an object here.
 */
@Injectable()
export class PetsRoutes {
  private readonly lists = new TickCoalescer<ListAnswer>();

  constructor(
    private readonly page: PetsPageQuery,
    private readonly pages: Pages,
    private readonly pets: PetsRepository,
    private readonly idempotency: Idempotency,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.get(PATH, (request, reply) => this.list(request, reply));
    fastify.post(PATH, (request, reply) => this.create(request, reply));
  }

  /** Requests of one organization for the same page in one tick share one statement. */
  private async list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { organizationId } = principalOf(request);
    const name = `${organizationId} ${request.url}`;
    const { json, link } = await this.lists.do(name, () => this.findPage(organizationId, request));
    if (link !== null) reply.header('link', link);
    return sendJson(reply, json);
  }

  private async findPage(organizationId: string, request: FastifyRequest): Promise<ListAnswer> {
    const { limit, cursor, ...filters } = parseQuery(request, listPetsQuerySchema);
    const list = { path: PATH, organizationId, limit, cursor, filters };
    const { json, lastId } = await this.findRows(list, filters);
    return { json, link: lastId === null ? null : this.pages.linkNext(list, lastId) };
  }

  private async findRows(list: ListRequest, filters: PetFilters): Promise<PetsPage> {
    const bounds = this.pages.beginPage(list);
    const isPlain = filters.q === undefined && filters.sort !== '-createdAt';
    if (isPlain) return this.page.run(list.organizationId, bounds, filters.status);
    const { rows, next } = await this.pets.search(list.organizationId, filters, bounds);
    return { json: `[${rows.map(({ json }) => json).join(',\n')}]`, lastId: next };
  }

  private async create(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = idempotentCallOf(request, reply);
    const pet = parseBody(request, newPetSchema);
    const { organizationId } = call.principal;
    const json = await this.idempotency.run(call, async (_db, tx) => {
      const { id, json: body } = await (tx === undefined
        ? this.pets.insert(organizationId, pet)
        : this.pets.insertWithin(tx, organizationId, pet));
      return { body, location: `${PATH}/${id}` };
    });
    return sendJson(reply.status(201), json);
  }
}

function sendJson(reply: FastifyReply, json: JsonText): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}

/**
 * Coalesces equal requests within one tick of the event loop. No caller gets data older than its request: the
 * `Pipeline` sends the shared query at the end of the tick, after all of its callers arrived, so callers read their own
 * writes.
 */
class TickCoalescer<Value> {
  readonly #pending = new Map<string, Promise<Value>>();

  do(name: string, work: () => Promise<Value>): Promise<Value> {
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    if (this.#pending.size === 0) setImmediate(() => this.#pending.clear());
    const result = work();
    this.#pending.set(name, result);
    return result;
  }
}
