import { startIdentityProvider, type IdentityProvider } from '@pets/testing';
import type { Clock } from '../../src/platform/clock.js';
import { startTestApi, type TestApi } from '../harness.js';
import { CALLBACK } from './person-client.js';

export interface SignInFixture {
  readonly provider: IdentityProvider;
  readonly api: TestApi;
  close(): Promise<void>;
}

/** An API with an identity provider, at which anybody signs in as often as they like. */
export async function startSignInFixture(settings: Record<string, string> = {}, clock?: Clock): Promise<SignInFixture> {
  const provider = await startIdentityProvider(CALLBACK);
  const api = await startTestApi({ ...provider.settings, SIGN_INS_PER_MINUTE: '0', ...settings }, clock);
  const close = async () => {
    await api.close();
    await provider.stop();
  };
  return { provider, api, close };
}
