import { createPetsClient, type PetsClient } from '@pets/client';
import { currentSession, forgetSession } from '../session/session.js';
import { strings } from '../strings.js';
import { ApiFailure, failureOf } from './api-failure.js';

const REQUEST_LIMIT_MS = 20_000;
const UPLOAD_LIMIT_MS = 300_000;

/** The API with the key of the session. An answer of 401 ends the session, and with it leads back to the sign-in. */
export function api(): PetsClient {
  return createPetsClient({
    baseUrl: location.origin,
    apiKey: currentSession()?.secret ?? '',
    fetch: async (request) => {
      const response = await limitedFetch(request);
      if (response.status === 401) forgetSession({ wasRefused: true });
      return response;
    },
  });
}

/** The API with a key that somebody has just typed: for what a session may not do. */
export function apiWithKey(apiKey: string): PetsClient {
  return createPetsClient({ baseUrl: location.origin, apiKey, fetch: limitedFetch });
}

/** What a call of the client comes to. */
interface Outcome<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws ApiFailure for every answer that is not a success */
export async function answerOf<Body>(call: Promise<Outcome<Body>>): Promise<{ data: Body; response: Response }> {
  const { data, error, response } = await call;
  if (!response.ok) throw failureOf(response, error);
  // An answer without a body has no data, and its callers ask for none.
  return { data: data as Body, response };
}

/** The body of the answer. @throws ApiFailure */
export async function bodyOf<Body>(call: Promise<Outcome<Body>>): Promise<Body> {
  return (await answerOf(call)).data;
}

async function limitedFetch(request: Request): Promise<Response> {
  const isUpload = request.headers.get('content-type') === 'application/gzip';
  const limit = AbortSignal.timeout(isUpload ? UPLOAD_LIMIT_MS : REQUEST_LIMIT_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, limit]), credentials: 'omit' });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new ApiFailure('network', strings.failures.network, null);
  }
}
