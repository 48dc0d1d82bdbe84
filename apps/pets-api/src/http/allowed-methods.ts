import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPMethod, type Instance, type HTTPVersion } from 'find-my-way';
import { boundListenerOf, type Listener } from './internal-listener.js';

export interface KnownPaths {
  /** The methods of a URL at a listener; empty for an unknown path. */
  allowedMethods(url: string, listener: Listener): readonly string[];
  /** Whether a route of the listener would match if no part of the path were too long. */
  isTooLong(url: string, listener: Listener): boolean;
}

type Router = Instance<HTTPVersion.V1>;

/**
 * Mirrors all routes in one router for each listener, because Fastify's own router does not list the methods of a path.
 * Used only for requests without a route.
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

/** Stored with each route: a match without it means that a parameter is too long. */
const KNOWN = { isKnown: true };

/** Matches every path, so it says nothing about the methods of one. */
function isCatchAll(url: string): boolean {
  return url === '*' || url === '/*';
}

/** The router matches `/v1/pets/` with `/v1/pets/:petId` and an empty id; we treat that as unknown. */
function matches(found: ReturnType<Router['find']>): boolean {
  return found !== null && found.store === KNOWN && Object.values(found.params).every((value) => value !== '');
}
