import {
  Controller,
  Get,
  Header,
  Inject,
  Injectable,
  Param,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { operations, petPathSchema, type Pet, type PetPath } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { DeprecatedCallsCounter } from './deprecated-calls.counter.js';
import { PetsRepository } from './pets.repository.js';

/**
 * getPet is deprecated: it announces its end on every answer, and from that instant on it is gone. Clients list animals
 * by status instead.
 */
const getPetDeprecation = {
  /** Route as the router knows it; HEAD is the same route. */
  route: '/v1/pets/:petId',
  operation: 'getPet',
  deprecatedAt: new Date(operations.getPet.deprecated.since),
  sunsetAt: new Date(operations.getPet.deprecated.sunset),
  /** Below the public URL: what to call instead, and where people read about it. */
  successorPath: '/v1/pets?status=available',
  noticePath: '/docs/deprecations/get-pet',
} as const;

/**
 * Announces the removal of getPet on every response of its route, in `onSend`, so that errors have it too.
 */
export function announceGetPetDeprecation(fastify: FastifyInstance, publicUrl: string): void {
  const headers = deprecationHeaders(publicUrl);
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (request.routeOptions.url === getPetDeprecation.route) reply.headers(headers);
    done();
  });
}

/** The two dates have different forms: RFC 9745 §2.1 wants a structured-field date, RFC 8594 §3 an HTTP date. */
function deprecationHeaders(publicUrl: string): Record<string, string> {
  const { deprecatedAt, sunsetAt, successorPath, noticePath } = getPetDeprecation;
  const notice = `<${publicUrl}${noticePath}>`;
  return {
    deprecation: `@${deprecatedAt.getTime() / 1000}`,
    sunset: sunsetAt.toUTCString(),
    link: [
      `<${publicUrl}${successorPath}>; rel="successor-version"`,
      `${notice}; rel="deprecation"; type="text/html"`,
      `${notice}; rel="sunset"; type="text/html"`,
    ].join(', '),
  };
}

/**
 * Counts calls of getPet, and removes it at its sunset. A guard, so that it runs before the validation of parameters.
 */
@Injectable()
class GetPetDeprecationGuard implements CanActivate {
  constructor(
    private readonly deprecatedCalls: DeprecatedCallsCounter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RequestError `gone` */
  canActivate(context: ExecutionContext): boolean {
    const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
    if (principal !== null) this.deprecatedCalls.count(getPetDeprecation.operation, principal.apiKeyId);
    if (this.clock() >= getPetDeprecation.sunsetAt)
      throw new RequestError('gone', 'getPet was removed. List animals by status: GET /v1/pets?status=.');
    return true;
  }
}

/** The page that getPet's `Link` headers refer to: public, without scripts or other resources. */
@Controller()
export class GetPetNoticeController {
  @Get(getPetDeprecation.noticePath)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', "default-src 'none'")
  readNotice(): string {
    return notice;
  }
}

const notice = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GET /v1/pets/{petId} is deprecated</title>
<h1><code>GET /v1/pets/{petId}</code> is deprecated</h1>
<p>It has been deprecated since <time>${dayOf(getPetDeprecation.deprecatedAt)}</time> and ends at the beginning of
<time>${dayOf(getPetDeprecation.sunsetAt)}</time>, UTC. From then on it answers <code>410</code> with the code
<code>gone</code>.</p>
<p>Call <code>GET /v1/pets</code> with the <code>status</code> filter instead. It returns the same animals with the same
fields, in pages: while there are more, the <code>Link</code> header contains a <code>rel="next"</code> link.</p>
</html>
`;

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** `getPet`, until its sunset. `listPets` and `createPet` are in `pets.routes.ts`. */
@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsRepository) {}

  /** Deprecated: see `getPetDeprecation`. */
  @Get(':petId')
  @UseGuards(GetPetDeprecationGuard)
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param({ schema: petPathSchema }) { petId }: PetPath,
  ): Promise<Pet> {
    return this.pets.get(organizationId, petId);
  }
}
