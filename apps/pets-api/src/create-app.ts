import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createEventServer, type Messaging } from '@pets/messaging';
import type { Database, NotificationListener, Pipeline } from '@pets/persistence';
import { drainConnections, nestLog, type Logger } from '@pets/platform';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Authenticator } from './access/api-keys/authenticator.js';
import { bindRequester } from './access/audit/requester.js';
import { authenticate, authorize } from './access/authentication.js';
import { limitSignIns } from './access/sessions/sign-in-limit.js';
import { AppModule } from './app.module.js';
import { SESSION_PATH } from './edge/sessions/edge-session.controller.js';
import { countAccesses } from './http/request-context.js';
import { ApiErrorFilter } from './http/api-errors.js';
import { createFastifyAdapter } from './http/fastify.js';
import { StrictQueryGuard, validationPipe } from './http/input-validation.js';
import { InternalListener } from './http/internal-listener.js';
import { EVENT_STREAM_TYPE } from './http/negotiation.js';
import { refuseUnsupportedIfMatch } from './http/preconditions.js';
import { limitRate, RateLimiter } from './http/rate-limiter.js';
import { allowSetupOrigins } from './http/setup-routes.js';
import { shareAmongTenants } from './http/tenant-shares.js';
import { isUpgradeTo } from './http/websocket-upgrades.js';
import { hasMetrics, MetricsEndpoint } from './operations/monitoring/metrics.endpoint.js';
import { ClientAddresses } from './platform/client-addresses.js';
import { systemClock, type Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import { dashboardOriginOf } from './platform/dashboard-origin.js';
import { ApiMetrics } from './platform/metrics/api-metrics.js';
import {
  AUTHENTICATION,
  DATABASE,
  MESSAGING,
  NOTIFICATIONS,
  READS,
  SESSION_DATABASE,
  WRITES,
} from './platform/providers.js';
import { ShuttingDown } from './platform/shutting-down.js';
import { SuspensionGuard } from './projects/suspension.guard.js';
import { SetupSessions } from './setup/setup-sessions.js';
import { announceGetPetDeprecation } from './store/pets/get-pet.controller.js';
import { PetsRoutes } from './store/pets/pets.routes.js';

/** Time for clients on kept connections to send another request, whose response closes the connection. */
const KEEP_ALIVE_DRAIN_MS = 1_000;
/** Time for requests in progress before their connections are closed. The rest of a stop takes 6 s at most. */
const DRAIN_MS = 4_000;

/** Whether the response stays open until one side closes. */
const isStream = (reply: FastifyReply) => reply.getHeader('content-type') === EVENT_STREAM_TYPE;

/** The only WebSockets. */
const isEdgeSession = isUpgradeTo(SESSION_PATH);

export interface PetsApi {
  readonly app: NestFastifyApplication;
  /** The listener for `INTERNAL_PORT`, not yet listening; null if that is not set. */
  readonly internal: InternalListener | null;
  /**
   * Reports not ready, and answers with `Connection: close` until all clients have left or `lingerMs` has passed. Then
   * stops accepting requests, finishes those in progress, and closes workers, queues and connections, in this order.
   */
  readonly stop: (lingerMs?: number) => Promise<void>;
}

/** Creates the application, not yet listening. Start tracing before this, if at all. */
export async function createApp(config: Config, log: Logger, clock: Clock = systemClock): Promise<PetsApi> {
  const metrics = new ApiMetrics();
  // Without a port for metrics nobody reads the counts, and requests are frequent enough for counting to matter.
  const accessLog = hasMetrics(config) ? countAccesses(log, metrics) : log;
  const internal = openInternalListener(config, log);
  const adapter = createFastifyAdapter({
    publicUrl: config.PUBLIC_URL,
    log: accessLog,
    addresses: new ClientAddresses(config.TRUSTED_PROXIES, (peer) =>
      log.warn({ peer }, 'forwarded header from an untrusted address ignored; set TRUSTED_PROXIES if it is your proxy'),
    ),
    internal,
    isUpgrade: isEdgeSession,
    isTraced: config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
  });
  const module = AppModule.register({ config, log, clock, metrics });
  const options = { logger: nestLog(log), bodyParser: false, abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  const fastify = adapter.getInstance<FastifyInstance>();
  addHooks(fastify, app, config, clock);
  app.get(PetsRoutes).register(fastify);
  if (internal !== undefined) app.get(MetricsEndpoint).register(fastify);
  closeConnectionsOfStreams(fastify, app.get(ShuttingDown));
  app.useGlobalGuards(new StrictQueryGuard(), app.get(SuspensionGuard));
  app.useGlobalPipes(validationPipe);
  app.useGlobalFilters(new ApiErrorFilter(log));
  app.connectMicroservice({ strategy: createEventServer(app.get(MESSAGING)) }, { inheritAppConfig: false });
  return { app, internal: internal ?? null, stop: (lingerMs) => stop({ app, fastify, internal }, lingerMs) };
}

/**
 * Hooks of Fastify, not guards of Nest, for three reasons: they answer before the body is read, they cover routes that Nest
 * does not know (`PetsRoutes`, `/metrics`), and they run in the order of these lines. A route is covered if it is added after
 * them.
 */
function addHooks(fastify: FastifyInstance, app: NestFastifyApplication, config: Config, clock: Clock): void {
  announceGetPetDeprecation(fastify, config.PUBLIC_URL);
  allowSetupOrigins(fastify);
  const authenticator = app.get(Authenticator);
  const setups = app.get(SetupSessions);
  authenticate(fastify, {
    findPrincipal: (key, address) => authenticator.findPrincipal(key, address),
    findSetup: (token) => setups.find(token),
    edgeToken: config.EDGE_TOKEN,
    gatewayToken: config.GATEWAY_TOKEN,
    dashboardOrigin: dashboardOriginOf(config),
  });
  limitSignIns(fastify, config.SIGN_INS_PER_MINUTE);
  const rateLimiter = app.get(RateLimiter);
  limitRate(fastify, ({ organizationId, limits }) => rateLimiter.consume(organizationId, limits.requestsPerMinute));
  shareAmongTenants(fastify, isStream);
  authorize(fastify, clock);
  refuseUnsupportedIfMatch(fastify);
  bindRequester(fastify);
}

/**
 * A client on a kept connection would otherwise delay the stop until it leaves. A stream may end only then, so its connection
 * ends with it in any case.
 */
function closeConnectionsOfStreams(fastify: FastifyInstance, shuttingDown: ShuttingDown): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStream(reply) || shuttingDown.signal.aborted) reply.header('connection', 'close');
    done();
  });
}

interface Running {
  readonly app: NestFastifyApplication;
  readonly fastify: FastifyInstance;
  readonly internal: InternalListener | undefined;
}

async function stop({ app, fastify, internal }: Running, lingerMs = KEEP_ALIVE_DRAIN_MS): Promise<void> {
  app.get(ShuttingDown).beginShutdown();
  const servers = [fastify.server, ...(internal === undefined ? [] : [internal.server])];
  const forced = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), DRAIN_MS);
  await drainConnections(servers, lingerMs);
  await Promise.all([app.close(), internal?.close()]);
  clearTimeout(forced);
  await app.get<Messaging>(MESSAGING).close();
  await app.get<NotificationListener>(NOTIFICATIONS).close();
  await Promise.all([AUTHENTICATION, READS, WRITES].map((pipeline) => app.get<Pipeline>(pipeline).close()));
  await Promise.all([app.get<Database>(DATABASE).destroy(), app.get<Database>(SESSION_DATABASE).destroy()]);
}

function openInternalListener({ INTERNAL_PORT, INTERNAL_ALSO_PUBLIC }: Config, log: Logger) {
  if (INTERNAL_PORT !== undefined)
    return new InternalListener({ isAlsoPublic: INTERNAL_ALSO_PUBLIC, isUpgrade: isEdgeSession });
  log.warn('INTERNAL_PORT is not set; /internal is served at the public port');
  return undefined;
}
