import type { Project } from './project.js';

const REQUEST_LIMIT_MS = 5_000;

const internalPaths = ['/internal/edge/session', '/%69nternal/edge/session', '/metrics'] as const;

/**
 * Checks that strangers reach nothing internal: internal routes are at their own port alone, and Redis refuses commands
 * without the password.
 * @throws Error at the first of these that does not hold
 */
export async function checkBoundaries(project: Project, say: (line: string) => void): Promise<void> {
  for (const path of internalPaths) await expectStatus(project.ports.api, path, 404);
  await expectStatus(project.ports.apiInternal, '/internal/edge/session', 401);
  await expectStatus(project.ports.apiInternal, '/metrics', 200);
  say('   /internal and /metrics: 404 at the public port, served at the internal one');
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

/** Our processes, and a file of another one's that none of them may see. */
const processes = {
  'pets-api': '/secrets/worker/acme-account-key.pem',
  'domains-worker': '/secrets/api/certificate-keks',
  edge: '/secrets/api/database-url',
} as const satisfies Record<string, string>;

/** Fails at the first line whose promise does not hold, and prints it. */
const script = (foreignSecret: string) => `
  [ "$(id -u)" = 1000 ] || { echo "runs as $(id -un)"; exit 1; }
  [ "$(cat /proc/1/comm)" = tini ] || { echo "process 1 is $(cat /proc/1/comm)"; exit 1; }
  ! touch /app/here 2>/dev/null || { echo "the root file system can be written"; exit 1; }
  grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status || { echo "has capabilities"; exit 1; }
  grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/1/status || { echo "may gain privileges"; exit 1; }
  [ ! -e ${foreignSecret} ] || { echo "sees ${foreignSecret}"; exit 1; }
  [ ! -e /app/node_modules/typescript ] || { echo "holds what only a build needs"; exit 1; }
  ls /app/apps
`;

/**
 * Checks that each of our processes has what docker-compose.yml and the Dockerfile promise: an ordinary user, an init
 * process, a root file system that cannot be written, no capabilities, its own secrets alone, and nothing that only a
 * build needs.
 * @throws Error naming the first promise that does not hold
 */
export async function checkHardening(project: Project, say: (line: string) => void): Promise<void> {
  for (const [service, foreignSecret] of Object.entries(processes)) {
    const apps = await project.exec(service, ['sh', '-c', script(foreignSecret)]).catch((error: unknown) => {
      throw new Error(`${service}: ${error instanceof Error ? error.message : String(error)}`);
    });
    say(`   ${service.padEnd(14)} uid 1000, read-only, no capabilities, holds ${apps.trim().split('\n').join(', ')}`);
  }
}
