import { openDatabase, type Database } from '@pets/persistence';
import { built } from './programs.js';

/** `apps/pets-api/src/operations/admin/admin-commands.ts`. */
interface AdminCommands {
  runAdminCommand(args: readonly string[], db: Database, config: { readonly ENVIRONMENT: string }): Promise<object>;
}

/**
 * Runs the administrator's command on the database of a stack, in this process: one of its own takes most of a second to load.
 * @returns what the command prints
 */
export async function administrate(databaseUrl: string, args: readonly string[]): Promise<readonly string[]> {
  const file = built('pets-api', 'operations/admin/admin-commands.js');
  const commands = (await import(file)) as AdminCommands; // the sources of the file
  const db = openDatabase({ url: databaseUrl, poolSize: 1, onConnectionError: () => undefined });
  try {
    return [JSON.stringify(await commands.runAdminCommand(args, db, { ENVIRONMENT: 'development' }))];
  } finally {
    await db.destroy();
  }
}
