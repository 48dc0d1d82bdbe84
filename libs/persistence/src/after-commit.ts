import type { Transaction, TransactionBuilder } from 'kysely';
import { insideTransaction } from './connection-shares.js';
import type { NotificationSender } from './notification-sender.js';

type AfterCommit = (notifications: NotificationSender) => void;

/** What the open transactions have registered. */
const registered = new WeakMap<object, AfterCommit[]>();

/**
 * Runs something once the transaction has committed, and never if it is rolled back. A process that dies in between does
 * not run it, so it can only be a hint.
 * @param run must not throw; nobody waits for what it starts
 * @returns false for a transaction that `openDatabase` has not started: nothing will run
 */
export function afterCommit(tx: object, run: AfterCommit): boolean {
  return registered.get(tx)?.push(run) !== undefined;
}

/** The builder, whose transactions run what `afterCommit` has registered. */
export function runningAfterCommit<Tables>(
  builder: TransactionBuilder<Tables>,
  notifications: NotificationSender,
): TransactionBuilder<Tables> {
  const execute = builder.execute.bind(builder);
  const setIsolationLevel = builder.setIsolationLevel.bind(builder);
  const setAccessMode = builder.setAccessMode.bind(builder);
  return Object.assign(builder, {
    execute: async <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> => {
      const runs: AfterCommit[] = [];
      const result = await execute((tx) => {
        registered.set(tx, runs);
        return insideTransaction(() => work(tx));
      });
      for (const run of runs) run(notifications);
      return result;
    },
    setIsolationLevel: (...level: Parameters<typeof setIsolationLevel>) =>
      runningAfterCommit(setIsolationLevel(...level), notifications),
    setAccessMode: (...mode: Parameters<typeof setAccessMode>) =>
      runningAfterCommit(setAccessMode(...mode), notifications),
  });
}
