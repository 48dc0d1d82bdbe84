import { borrow } from '@pets/testing';
import { unusedProvider } from './access/member-steps.js';
import { startTestApi, type TestApi } from './harness.js';
import { startScriptedWorker, type ScriptedWorker } from './scripted-worker.js';

/** An API, and the scripted worker of its jobs, which ends with it. */
export interface ApiWithWorker {
  readonly api: TestApi;
  readonly worker: ScriptedWorker;
}

/**
 * The API of this process, with the settings of `startTestApi`, the clock of the machine and sign-in at a provider that nobody
 * asks. Other test files use it too, one after another: a file creates organizations of its own and names that no other file
 * has, and changes nothing that belongs to all (edges, settings, the clock, the API itself). `close` gives it back.
 */
export async function shareApiWithWorker(): Promise<ApiWithWorker> {
  const { value, giveBack } = await borrow(
    'pets-api',
    () => startApiWithWorker({}),
    ({ api }) => api.close(),
  );
  return { ...value, api: { ...value.api, close: giveBack } };
}

/** The API of this process, as `shareApiWithWorker` describes it. */
export async function shareTestApi(): Promise<TestApi> {
  return (await shareApiWithWorker()).api;
}

export async function startApiWithWorker(
  ...[settings, ...more]: Parameters<typeof startTestApi>
): Promise<ApiWithWorker> {
  const api = await startTestApi({ ...unusedProvider, ...settings }, ...more);
  const worker = startScriptedWorker(api.messaging);
  const close = async () => {
    await worker.close();
    await api.close();
  };
  return { api: { ...api, close }, worker };
}
