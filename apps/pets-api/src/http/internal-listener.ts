/**
 * A second listener (`INTERNAL_PORT`) for `/internal` and `/metrics`, which only our own network may reach.
 *
 * Both listeners share one Fastify instance. Each route is bound to its listener when it is registered, and the router
 * compares that with the socket of a request. The URL is not considered, so no spelling of a path reaches the routes of
 * the other listener.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Handler, HTTPVersion } from 'find-my-way';
import { routeUpgrades } from './websocket-upgrades.js';

export type Listener = 'public' | 'internal';

export interface InternalListenerOptions {
  /** `INTERNAL_ALSO_PUBLIC`: `/internal` is served by both, while those who use it move. */
  readonly isAlsoPublic: boolean;
  /** Whether a request asks for an upgrade that one of the routes completes. */
  readonly isUpgrade: (request: IncomingMessage) => boolean;
}

export class InternalListener {
  readonly server: Server;
  readonly #options: InternalListenerOptions;
  readonly #sockets = new WeakSet<Socket>();
  #fastify: FastifyInstance | undefined;

  constructor(options: InternalListenerOptions) {
    this.#options = options;
    // Node reads these options only in the constructor.
    const serverOptions = {
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      shouldUpgradeCallback: options.isUpgrade,
    };
    const route = (request: IncomingMessage, response: ServerResponse) => this.#fastify?.routing(request, response);
    this.server = createServer(serverOptions, route);
    routeUpgrades(this.server, route);
    this.server.on('connection', (socket) => this.#sockets.add(socket));
  }

  /** Call it before any route is registered: its hook binds each route to its listener. */
  attach(fastify: FastifyInstance): void {
    this.#fastify = fastify;
    fastify.addConstraintStrategy({
      name: 'listener',
      storage: () => {
        const handlers = new Map<unknown, Handler<HTTPVersion.V1>>();
        return { get: (key) => handlers.get(key) ?? null, set: (key, handler) => void handlers.set(key, handler) };
      },
      validate: () => undefined,
      deriveConstraint: (request: IncomingMessage) => this.listenerOf(request),
    });
    fastify.addHook('onRoute', (route) => bindToListener(route, this.#options));
  }

  listenerOf({ socket }: IncomingMessage): Listener {
    return this.#sockets.has(socket) ? 'internal' : 'public';
  }

  async listen(port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(port, host, resolve));
  }

  /** Takes no more connections. Resolves when the last one has ended. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

const INTERNAL_PATHS = /^\/(?:internal|metrics)(?:\/|$)/;
/** Probes of either listener, which say the same of both. */
const SHARED_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** The listener of a route; undefined if both serve it. */
export function boundListenerOf({ constraints }: Pick<RouteOptions, 'constraints'>): Listener | undefined {
  const listener = constraints?.['listener'];
  return listener === 'public' || listener === 'internal' ? listener : undefined;
}

/** Decides by the route's template, never by a URL. Other routes are public. */
function bindToListener(route: RouteOptions, { isAlsoPublic }: InternalListenerOptions): void {
  if (SHARED_PATHS.has(route.url)) return;
  const isInternal = INTERNAL_PATHS.test(route.url);
  // `/metrics` was never public, so there is nothing to migrate.
  if (isInternal && isAlsoPublic && route.url !== '/metrics') return;
  route.constraints = { ...route.constraints, listener: isInternal ? 'internal' : 'public' };
}
