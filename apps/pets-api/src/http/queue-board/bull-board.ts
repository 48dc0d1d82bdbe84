import { createBullBoard } from '@bull-board/api';
import type {
  AppControllerRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import type { QueueView } from '@pets/messaging';
import { boardFolder } from './board-files.js';
import { ViewedQueueAdapter } from './viewed-queue.adapter.js';

/** A question that the page of the board asks. */
export interface BoardQuestion {
  /** Below the board's own path, as the router writes it. */
  readonly route: string;
  readonly answer: (request: Pick<BoardRequest, 'params' | 'query'>) => Promise<ControllerHandlerReturnType>;
}

export interface BullBoard {
  /** Where the one page is, likewise. */
  readonly pageRoutes: readonly string[];
  readonly questions: readonly BoardQuestion[];
  /** What the page has to know. */
  readonly config: UIConfig;
}

type BoardRequest = NonNullable<Parameters<AppControllerRoute['handler']>[0]>;

/** bull-board on views of queues: of its operations only those that ask. */
export function createBoard(views: readonly QueueView[], uiConfig: UIConfig): BullBoard {
  const parts = new BoardParts();
  createBullBoard({
    queues: views.map((view) => new ViewedQueueAdapter(view)),
    serverAdapter: parts,
    options: { uiBasePath: boardFolder, uiConfig },
  });
  const { queues, config, pageRoutes } = parts;
  const questions = parts.routes
    .filter(({ method }) => method === 'get')
    .flatMap((operation) =>
      [operation.route].flat().map((each) => ({
        route: each,
        answer: async ({ params, query }: Pick<BoardRequest, 'params' | 'query'>) =>
          operation.handler({ queues, uiConfig: config, params, query, body: {}, headers: {} }),
      })),
    );
  return { pageRoutes, questions, config };
}

/** Takes from bull-board what a server has to serve. */
class BoardParts implements IServerAdapter {
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
