import { join } from 'node:path';
import type { ChildSpec } from '../processes/child.js';
import { apiUrl, repositoryRoot } from '../supervisor/services.js';
import { loaderOptions } from './from-sources.js';
import type { Settings } from '../supervisor/settings.js';

/** Vite with the dashboard, which passes requests to the API on. It gets no secret. */
export function dashboardSpec(settings: Settings): ChildSpec {
  const program = join(repositoryRoot, 'apps/dashboard/build/serve.ts');
  return {
    name: 'dashboard',
    command: process.execPath,
    args: [...loaderOptions, program, String(settings.DASHBOARD_PORT), apiUrl(settings)],
    env: { PATH: settings.PATH, ...(settings.HOME !== undefined && { HOME: settings.HOME }) },
    cwd: repositoryRoot,
    stopSignals: ['SIGTERM'],
    stopTimeoutMs: 2_000,
    stopRank: 0,
  };
}
