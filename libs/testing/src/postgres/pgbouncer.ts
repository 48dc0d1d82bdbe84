import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/ports.js';
import { programPath, startServiceProcess } from '../processes/service-process.js';

export type PgBouncer = {
  /** The database of the server that it stands before. */
  readonly url: string;
  /** Ends every connection, and starts it again at the same address, after what happens while it is down. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

/** PgBouncer refuses to run as root. */
const USER = 'nobody';

/**
 * PgBouncer before a PostgreSQL server, in transaction mode with few server connections, so that clients really share
 * them. It is strict: a startup parameter that it does not know, such as `statement_timeout`, refuses the connection.
 * @returns null where pgbouncer is not installed
 */
export async function startPgBouncer(
  postgresUrl: string,
  moreSettings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer | null> {
  const command = programPath('pgbouncer');
  if (command === null) return null;
  const server = new URL(postgresUrl);
  const url = new URL(postgresUrl);
  url.port = String(await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-pgbouncer-'));
  const [settingsFile, usersFile] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: url.port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: usersFile,
    pool_mode: 'transaction',
    default_pool_size: '8',
    max_client_conn: '200',
    // Without a file that PgBouncer could not write.
    logfile: '',
    pidfile: '',
    ...moreSettings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=${server.hostname} port=${server.port}\n`;
  await writeFile(settingsFile, `${databases}\n[pgbouncer]\n${lines.join('\n')}\n`);
  await writeFile(usersFile, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  await chmod(folder, 0o755);
  const args = [...(process.getuid?.() === 0 ? ['-u', USER] : []), settingsFile];
  const start = () => startServiceProcess({ name: 'pgbouncer', command, args, port: Number(url.port) });
  let running = await start();
  return {
    url: url.href,
    restart: async (whileDown) => {
      await running.stop();
      await whileDown?.();
      running = await start();
    },
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
