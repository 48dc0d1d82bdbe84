import { startStack, type RunningStack } from '@pets/dev-stack';
import { startTestPostgres } from './test-postgres.js';

/**
 * A stack as `npm start` runs it, but with its data in a database of the server that the tests of this process share: a
 * server of its own takes seconds to make and to start.
 */
export async function startTestStack(options: Parameters<typeof startStack>[0]): Promise<RunningStack> {
  const postgres = await startTestPostgres();
  try {
    const stack = await startStack({ ...options, env: { ...options.env, DATABASE_URL: postgres.url } });
    const stop = async () => {
      await stack.stop();
      await postgres.stop();
    };
    return { ...stack, stop };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
