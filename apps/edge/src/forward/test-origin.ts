import type { OriginTest } from '@pets/contracts/edge-feed';
import type { Dispatcher } from 'undici';
import { classifyError } from './classify-error.js';
import type { OriginConnection } from './origin-connection.js';
import { OriginError } from './origin-error.js';
import type { CompiledOrigin } from './origins.js';

/** For the complete test, whatever the origin allows. */
const LIMIT_MS = 10_000;

const USER_AGENT = 'pets-origin-test/1.0';

type Result = Omit<OriginTest, 'origin' | 'test'>;

/**
 * Asks an application for `/` and says what came back. Any answer is an answer: what it means, the API decides. Never rejects.
 * @param compile may throw, as when the headers of the origin cannot be decrypted
 */
export async function testOrigin(compile: () => CompiledOrigin): Promise<Result> {
  const startedAtMs = performance.now();
  let connection: OriginConnection | undefined;
  let retire: (() => void) | undefined;
  const result = (status: number | null, failure: Result['failure']): Result => ({
    status,
    durationMs: Math.round(performance.now() - startedAtMs),
    failure,
    address: connection?.address ?? null,
  });
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new OriginError('timeout', 'no answer within 10 s')), LIMIT_MS);
  try {
    const compiled = compile();
    retire = () => compiled.pool.retire();
    const acquired = compiled.pool.acquire(() => undefined);
    limit.promise.catch(() => acquired.then((late) => late.reset()).catch(() => undefined));
    connection = await Promise.race([acquired, limit.promise]);
    return result(await Promise.race([statusOf(connection, compiled), limit.promise]), null);
  } catch (error) {
    const failure = classifyError(error);
    if (failure === 'bad_request') return result(null, { code: 'invalid_answer', detail: 'the request is not valid' });
    return result(null, { code: failure.failure, detail: failure.message });
  } finally {
    clearTimeout(timer);
    retire?.();
    connection?.reset();
  }
}

function statusOf(connection: OriginConnection, { origin, fields, serverName }: CompiledOrigin): Promise<number> {
  const headers = ['host', origin.hostHeader ?? new URL(origin.url).host, 'user-agent', USER_AGENT, 'accept', '*/*'];
  for (const [name, value] of fields) headers.push(name, value);
  return new Promise((resolve, reject) => {
    connection.dispatch(
      { path: '/', method: 'GET', headers, ...{ servername: serverName } },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller: Dispatcher.DispatchController, status: number) => {
          if (status >= 200) resolve(status);
        },
        onResponseData: () => undefined,
        onResponseEnd: () => undefined,
        onResponseError: (_controller: Dispatcher.DispatchController | null, error: Error) => reject(error),
      },
    );
  });
}
