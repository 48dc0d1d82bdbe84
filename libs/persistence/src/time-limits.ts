/** No statement runs for longer: the server cancels it and reports that. */
export const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

/** Limits of a connection to PostgreSQL itself, which node-postgres sends when it connects. */
export const connectionLimits = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
} as const;

/**
 * The same limits as the first statements of a transaction, after its `begin`. A pooler in transaction mode refuses or
 * drops what a client sends when it connects, and gives each transaction another connection.
 */
export const setTransactionLimits = Object.entries(connectionLimits)
  .map(([name, ms]) => `set local ${name} = ${ms}`)
  .join('; ');
