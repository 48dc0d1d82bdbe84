import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPMethod, type Instance, type HTTPVersion } from 'find-my-way';
import { boundListenerOf, type Listener } from './internal-listener.js';

export interface KnownPaths {
  /** Which methods a URL has at a listener; an empty list for a path that is unknown there. */
  allowedMethods(url: string, listener: Listener): readonly string[];
  /** Whether a route of the listener would match, were a part of the path not too long. */
  isTooLong(url: string, listener: Listener): boolean;
}

type Router = Instance<HTTPVersion.V1>;

/**
 * Follows all routes as they are added, in a router for each listener of the same kind and settings as Fastify's own, which
 * does not tell what else there is at a path. It is asked only about requests that found no route.
 */
export function trackKnownPaths(fastify: FastifyInstance, maxParamLength: number): KnownPaths {
  const create = () => createRouter({ maxParamLength, onMaxParamLength: () => undefined });
  const routers: Readonly<Record<Listener, Router>> = { public: create(), internal: create() };
  const methods = new Set<HTTPMethod>();
  fastify.addHook('onRoute', ({ method, url, constraints }) => {
    if (isCatchAll(url)) return;
    const listener = boundListenerOf({ constraints });
    for (const each of [method].flat() as HTTPMethod[]) {
      methods.add(each);
      for (const router of listener === undefined ? Object.values(routers) : [routers[listener]])
        if (!router.hasRoute(each, url)) router.on(each, url, () => undefined, KNOWN);
    }
  });
  return {
    allowedMethods: (url, listener) => {
      const found = [...methods].filter((method) => matches(routers[listener].find(method, url)));
      if (found.length === 0) return [];
      return [...new Set([...found, ...(found.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort();
    },
    isTooLong: (url, listener) => [...methods].some((method) => routers[listener].find(method, url)?.store === null),
  };
}

/** Kept with each route: a match without it is the router's answer to a parameter that is too long. */
const KNOWN = { isKnown: true };

/** Such a route takes what is left over, and says nothing about a path. */
function isCatchAll(url: string): boolean {
  return url === '*' || url === '/*';
}

/** The router takes `/v1/pets/` for `/v1/pets/:petId` with an empty id; nothing is there. */
function matches(found: ReturnType<Router['find']>): boolean {
  return found !== null && found.store === KNOWN && Object.values(found.params).every((value) => value !== '');
}
