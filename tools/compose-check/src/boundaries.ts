import type { Project } from './project.js';

const REQUEST_LIMIT_MS = 5_000;

const internalPaths = ['/internal/edge/session', '/%69nternal/edge/session', '/admin/queues', '/metrics'] as const;

/**
 * That strangers reach nothing internal: internal routes are at their own port alone, and Redis refuses commands without
 * the password.
 * @throws Error at the first of these that does not hold
 */
export async function checkBoundaries(project: Project, say: (line: string) => void): Promise<void> {
  for (const path of internalPaths) await expectStatus(project.ports.api, path, 404);
  await expectStatus(project.ports.apiInternal, '/internal/edge/session', 401);
  await expectStatus(project.ports.apiInternal, '/metrics', 200);
  say('   /internal, /admin and /metrics: 404 at the public port, served at the internal one');
  const reply = (await project.exec('redis', ['redis-cli', 'ping'])).trim();
  if (!reply.startsWith('NOAUTH')) throw new Error(`Redis answers ${reply} to a command without the password`);
  say('   Redis refuses commands without its password');
}

async function expectStatus(port: number, path: string, expected: number): Promise<void> {
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
  await response.body?.cancel();
  if (response.status !== expected) throw new Error(`GET ${url} answered ${response.status}, not ${expected}`);
}
