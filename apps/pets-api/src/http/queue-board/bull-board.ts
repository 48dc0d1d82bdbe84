import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import type { QueueView } from '@pets/messaging';
import { boardFolder } from './board-page.js';

/** A read request of the board's page. */
export interface BoardQuery {
  /** Below the board's own path, as the router writes it. */
  readonly route: string;
  readonly run: (request: Pick<BoardRequest, 'params' | 'query'>) => Promise<ControllerHandlerReturnType>;
}

export interface BullBoard {
  /** Where the one page is, likewise. */
  readonly pageRoutes: readonly string[];
  readonly queries: readonly BoardQuery[];
  /** The configuration of the page. */
  readonly config: UIConfig;
}

type BoardRequest = NonNullable<Parameters<AppControllerRoute['handler']>[0]>;

/** bull-board on read-only views of queues, with its GET operations only. */
export function createBoard(views: readonly QueueView[], uiConfig: UIConfig): BullBoard {
  const collector = new RouteCollector();
  createBullBoard({
    queues: views.map((view) => new ViewedQueueAdapter(view)),
    serverAdapter: collector,
    options: { uiBasePath: boardFolder, uiConfig },
  });
  const { queues, config, pageRoutes } = collector;
  const queries = collector.routes
    .filter(({ method }) => method === 'get')
    .flatMap((operation) =>
      [operation.route].flat().map((each) => ({
        route: each,
        run: async ({ params, query }: Pick<BoardRequest, 'params' | 'query'>) =>
          operation.handler({ queues, uiConfig: config, params, query, body: {}, headers: {} }),
      })),
    );
  return { pageRoutes, queries, config };
}

/** Collects the routes that bull-board registers. */
class RouteCollector implements IServerAdapter {
  queues: BullBoardQueues = new Map();
  routes: readonly AppControllerRoute[] = [];
  pageRoutes: readonly string[] = [];
  config: UIConfig = {};

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.routes = routes;
    return this;
  }

  setEntryRoute({ route }: { route: string | string[] }): this {
    this.pageRoutes = [route].flat();
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.config = config;
    return this;
  }

  /** `queue-board.routes.ts` serves the page, its files and errors. */
  setViewsPath(): this {
    return this;
  }

  setStaticPath(): this {
    return this;
  }

  setErrorHandler(): this {
    return this;
  }
}

/**
 * Adapts a read-only queue view to bull-board, which cannot change anything through it. Reports no schedules, rate
 * limits or flows without a query, since we have none.
 */
class ViewedQueueAdapter extends BullMQAdapter {
  constructor(private readonly view: QueueView) {
    super(asQueue(view), { readOnlyMode: true });
  }

  /** Details of Redis; called only if the queues are on Redis. */
  override getRedisInfo(): Promise<string | null> {
    return this.view.storeInfo();
  }
}

/** The board only calls the methods of the view and those added here, but its type requires BullMQ's class. */
function asQueue(view: QueueView): ConstructorParameters<typeof BullMQAdapter>[0] {
  const queue = {
    ...view,
    metaValues: { version: 'bullmq' },
    opts: {},
    getBackend: () => null,
    getJobSchedulers: async () => [],
    getJobSchedulersCount: async () => 0,
    getRateLimitTtl: async () => 0,
  };
  return queue as unknown as ConstructorParameters<typeof BullMQAdapter>[0];
}
