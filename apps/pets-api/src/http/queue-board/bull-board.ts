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

/** A question that the page of the board asks. */
export interface BoardQuery {
  /** Below the board's own path, as the router writes it. */
  readonly route: string;
  readonly run: (request: Pick<BoardRequest, 'params' | 'query'>) => Promise<ControllerHandlerReturnType>;
}

export interface BullBoard {
  /** Where the one page is, likewise. */
  readonly pageRoutes: readonly string[];
  readonly queries: readonly BoardQuery[];
  /** What the page has to know. */
  readonly config: UIConfig;
}

type BoardRequest = NonNullable<Parameters<AppControllerRoute['handler']>[0]>;

/** bull-board on views of queues: of its operations only those that ask. */
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

/** Takes from bull-board what a server has to serve. */
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

  /** The page and its files are served in our own way, and so are errors. */
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
 * A queue as bull-board knows them, on a view of one: it can ask and do nothing, whatever the board is made to call. Of
 * what there is none here (schedules, limits, flows) the board is told so without a question.
 */
class ViewedQueueAdapter extends BullMQAdapter {
  constructor(private readonly view: QueueView) {
    super(asQueue(view), { readOnlyMode: true });
  }

  /** Of Redis; asked only where the queues are there. */
  override getRedisInfo(): Promise<string | null> {
    return this.view.storeInfo();
  }
}

/** The board only calls what is in the view, and what is added here; its own type wants the whole of BullMQ's class. */
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
