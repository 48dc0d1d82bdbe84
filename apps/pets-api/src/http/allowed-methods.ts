import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';

/** Tells which methods a URL has; an empty list for a path that is unknown. */
export type FindAllowedMethods = (url: string) => readonly string[];

/**
 * Follows all routes as they are added in a router of the same kind and settings, since Fastify's own does not tell what
 * else there is at a path. It is asked only about requests that found no route.
 */
export function trackAllowedMethods(fastify: FastifyInstance, maxParamLength: number): FindAllowedMethods {
  const router = createRouter({ maxParamLength });
  const methods = new Set<HTTPMethod>();
  fastify.addHook('onRoute', ({ method, url }) => {
    if (isCatchAll(url)) return;
    for (const each of [method].flat() as HTTPMethod[]) {
      methods.add(each);
      if (!router.hasRoute(each, url)) router.on(each, url, () => undefined);
    }
  });
  return (url) => {
    const found = [...methods].filter((method) => matches(router.find(method, url)));
    if (found.length === 0) return [];
    return [...new Set([...found, ...(found.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort();
  };
}

/** Such a route takes what is left over, and says nothing about a path. */
function isCatchAll(url: string): boolean {
  return url === '*' || url === '/*';
}

/** The router takes `/v1/pets/` for `/v1/pets/:petId` with an empty id; nothing is there. */
function matches(found: { params: Readonly<Record<string, string | undefined>> } | null): boolean {
  return found !== null && Object.values(found.params).every((value) => value !== '');
}
