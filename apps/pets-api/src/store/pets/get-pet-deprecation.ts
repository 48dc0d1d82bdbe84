import { operations } from '@pets/contracts';
import type { FastifyInstance } from 'fastify';

/**
 * getPet is deprecated: it announces its end on every answer, and from that instant on it is gone. Clients list animals
 * by status instead.
 */
export const getPetDeprecation = {
  /** As the router knows it; HEAD is the same route. */
  route: '/v1/pets/:petId',
  operation: 'getPet',
  deprecatedAt: new Date(operations.getPet.deprecated.since),
  sunsetAt: new Date(operations.getPet.deprecated.sunset),
  /** Below the public URL: what to call instead, and where people read about it. */
  successorPath: '/v1/pets?status=available',
  noticePath: '/docs/deprecations/get-pet',
} as const;

/**
 * Announces the end of getPet on every answer of its route. On sending, which refusals of every kind come past too: a
 * client with a bad key is to be told as well.
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
