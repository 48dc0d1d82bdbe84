import { connect } from 'node:net';
import { Body, Controller, Get, Header, Module, Param, Post, Query, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { listPetsQuerySchema, newPetSchema, type ListPetsQuery, type NewPet } from '@pets/contracts';
import { createLogger, RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Access } from '../../src/http/request-context.js';
import { ApiErrorFilter } from '../../src/http/api-errors.js';
import { ClientAddresses } from '../../src/platform/client-addresses.js';
import { createFastifyAdapter } from '../../src/http/fastify.js';
import { StrictQueryGuard, validationPipe } from '../../src/http/input-validation.js';

/** The HTTP layer alone, around a few operations that keep nothing: whatever asks without a key is anonymous. */
export interface HttpApp {
  readonly url: string;
  /** The access log line of each answer. */
  readonly accesses: Access[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>;
  /** How many requests wait for an answer that will not come. */
  slowRequests(): number;
  /** Sends bytes as they are and reads until the server ends the connection. */
  exchange(bytes: string): Promise<string>;
  close(): Promise<void>;
}

let slowRequests = 0;

/** About 10 kB. */
export const manyAnimals = Array.from({ length: 300 }, (_, id) => ({ id, name: `Rex the ${id}th` }));

@Controller('v1/animals')
class AnimalsController {
  @Get()
  list(
    @Query({ schema: listPetsQuerySchema }) query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): ListPetsQuery {
    reply.header('link', '</v1/animals?cursor=x>; rel="next"');
    return query;
  }

  @Post()
  create(@Body({ schema: newPetSchema }) animal: NewPet): NewPet & { codePoints: number } {
    return { ...animal, codePoints: [...animal.name].length };
  }

  @Get('many')
  many(): readonly object[] {
    return manyAnimals;
  }

  @Get('tagged')
  @Header('etag', '"1"')
  tagged(): readonly object[] {
    return manyAnimals;
  }

  @Get('broken')
  fail(): never {
    throw new Error('secret detail');
  }

  /** Never answers. */
  @Get('slow')
  hang(): Promise<never> {
    slowRequests++;
    return new Promise(() => undefined);
  }

  @Get(':animalId')
  get(@Param('animalId') animalId: string): { animalId: string } {
    return { animalId };
  }

  @Post(':animalId/verify')
  verify(@Param('animalId') animalId: string): { animalId: string } {
    return { animalId };
  }
}

@Controller('v1/projects/:projectId/events')
class EventsController {
  @Get()
  events(): never[] {
    return [];
  }
}

@Module({ controllers: [AnimalsController, EventsController] })
class HttpModule {}

export async function startHttpApp(): Promise<HttpApp> {
  const accesses: Access[] = [];
  const log = { info: (access: Access) => void accesses.push(access) };
  const adapter = createFastifyAdapter({
    publicUrl: 'https://api.example',
    log,
    addresses: new ClientAddresses([], () => undefined),
  });
  const app = await NestFactory.create<NestFastifyApplication>(HttpModule, adapter, {
    logger: false,
    bodyParser: false,
    forceCloseConnections: true,
  });
  adapter.getInstance<FastifyInstance>().addHook('onRequest', async ({ is404, headers }) => {
    if (!is404 && headers.authorization === 'none') throw new RequestError('unauthenticated', 'Send a key.');
  });
  app.useGlobalGuards(new StrictQueryGuard((method, route) => method !== 'POST' && route === '/v1/animals'));
  app.useGlobalPipes(validationPipe);
  app.useGlobalFilters(new ApiErrorFilter(createLogger('http-test', 'silent')));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const ask: HttpApp['fetch'] = (path, init) => fetch(url + path, { signal: AbortSignal.timeout(10_000), ...init });
  return {
    url,
    accesses,
    fetch: ask,
    post: (body, headers) =>
      ask('/v1/animals', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
    slowRequests: () => slowRequests,
    exchange: (bytes) => exchange(Number(new URL(url).port), bytes),
    close: () => app.close(),
  };
}

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')));
    socket
      .on('data', (chunk) => (answer += String(chunk)))
      .on('end', () => resolve(answer))
      .on('error', reject);
  });
}
