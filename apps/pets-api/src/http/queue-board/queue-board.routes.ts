/**
 * bull-board at `/admin/queues`, for holders of `ADMIN_TOKEN`; without that setting this file is not loaded. It shows
 * the queues of all organizations and is read-only: the database decides what is due, so changing a queue would fix
 * nothing. `access/authentication.ts` checks the token.
 */
import { apiErrorOf, type ApiError, type ErrorCode } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { RequestError, type Logger } from '@pets/platform';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pagePolicy, readBoardFiles, renderBoardPage } from './board-page.js';
import { createBoard, type BoardQuery } from './bull-board.js';

const PATH = '/admin/queues';

/** Other sites cannot load the board's responses, and nothing caches them. */
const ownHeaders = { 'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-store' } as const;

const pageHeaders = {
  ...ownHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export interface QueueBoardSettings {
  readonly messaging: Pick<Messaging, 'queueViews'>;
  /** Whether the queues are on Redis, which has an `INFO` command. */
  readonly isOnRedis: boolean;
  readonly log: Pick<Logger, 'warn'>;
}

export async function serveQueueBoard(fastify: FastifyInstance, settings: QueueBoardSettings): Promise<void> {
  const { files, entryPaths } = await readBoardFiles();
  const { pageRoutes, queries, config } = createBoard(settings.messaging.queueViews, {
    boardTitle: 'Queues',
    hideDocsLink: true,
    hideRedisDetails: !settings.isOnRedis,
  });
  const page = renderBoardPage({ base: PATH, config, entryPaths });
  for (const route of ['', ...pageRoutes])
    fastify.get(PATH + route, async (_request, reply) => reply.headers(pageHeaders).send(page));
  fastify.get<{ Params: { '*': string } }>(`${PATH}/static/*`, async ({ params }, reply) => {
    const file = files.get(params['*']);
    if (file === undefined) throw new RequestError('not_found', 'There is nothing at this path.');
    reply.headers(ownHeaders).type(file.contentType);
    if (file.isHashed) reply.header('cache-control', 'private, max-age=31536000, immutable');
    return reply.send(file.content);
  });
  for (const query of queries) serveQuery(fastify, query, settings);
}

function serveQuery(fastify: FastifyInstance, { route, run }: BoardQuery, { log }: QueueBoardSettings): void {
  fastify.get<{ Params: Record<string, string>; Querystring: Record<string, string> }>(
    PATH + route,
    async ({ params, query }, reply) => {
      try {
        return await sendAnswer(reply, await run({ params, query }));
      } catch (error) {
        log.warn({ err: error }, 'queues not read for the board');
        throw new RequestError('unavailable', 'The queues cannot be read. Try again shortly.', { 'retry-after': '2' });
      }
    },
  );
}

/** An error has our format, and in addition bull-board's own key, which its page translates. */
function sendAnswer(reply: FastifyReply, { status = 200, body }: { status?: number; body: unknown }): FastifyReply {
  reply.headers(ownHeaders).status(status);
  if (status < 400) return reply.send(body);
  return reply.send({ ...(body as object), ...boardError(status) });
}

const codes: Readonly<Record<number, ErrorCode>> = { 400: 'invalid_request', 403: 'forbidden', 404: 'not_found' };

function boardError(status: number): ApiError {
  return apiErrorOf(codes[status] ?? 'internal', 'The queue board cannot handle this request.');
}
