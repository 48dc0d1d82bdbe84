import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { DATABASE } from '../platform/providers.js';
import { ProjectQueues } from '../platform/project-queues.js';

/** Opens the transactions in which requests change projects: queue of the project first, then connection, then row lock. */
@Injectable()
export class ProjectTransactions {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly queues: ProjectQueues,
  ) {}

  /**
   * Runs work in the transaction that `db` is, or else in its own after those before it in the queues of the projects.
   * @throws RequestError `concurrency_limited`
   */
  run<T>(projectIds: readonly string[], work: (tx: Tx) => Promise<T>, db: Database = this.db): Promise<T> {
    const change = () => inTransaction(db, work);
    return db.isTransaction ? change() : this.queues.run(projectIds, change);
  }
}
