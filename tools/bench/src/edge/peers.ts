import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import { BATCH, batchFolder, nameOf, pairPath } from './certificate-set.js';
import type { Contestant, Ground, Serving } from './contestant.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';

/** Debian's Caddy with its file server. */
export const caddy: Contestant = {
  name: 'caddy',
  mostNames: Infinity,
  start: (ground, names) => startCaddy(ground, names, { handler: 'file_server', root: ground.siteFolder }),
};

/**
 * Starts Debian's Caddy with certificates from folders, all of them in its memory. It logs no requests and issues no session
 * tickets.
 * @param handler what answers all requests
 */
export async function startCaddy({ set, folder }: Place, names: number, handler: object): Promise<Serving> {
  const home = await emptyFolder(folder, 'caddy');
  const port = await freePort();
  const folders = Array.from({ length: Math.ceil(names / BATCH) }, (_, batch) =>
    batchFolder(set.folder, 'pairs', batch),
  );
  const server = {
    listen: [`127.0.0.1:${port}`],
    protocols: ['h1', 'h2'],
    automatic_https: { disable: true },
    tls_connection_policies: [{ protocol_min: 'tls1.3' }],
    routes: [{ handle: [handler] }],
  };
  const configuration = {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: home },
    logging: { logs: { default: { level: 'ERROR' } } },
    apps: {
      http: { servers: { bench: server } },
      tls: {
        certificates: { load_folders: folders },
        session_tickets: { disabled: true },
        cache: { capacity: 2 * folders.length * BATCH }, // else it forgets all but ten thousand
      },
    },
  };
  const path = join(home, 'caddy.json');
  await writeFile(path, JSON.stringify(configuration));
  const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  return serve(port, { name: 'caddy', command: ['caddy', 'run', '--config', path], env });
}

/** Debian's nginx with a site. Its configuration otherwise equals Debian's: sendfile and tcp_nopush. */
export const nginx: Contestant = {
  name: 'nginx',
  /** Each block costs memory for a TLS context of its own, whether it is asked for or not. */
  mostNames: 10_000,
  start: (ground, names) =>
    startNginx(ground, names, {
      connections: 2048,
      directives: `
  types { text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; image/png png; }
  sendfile on;
  tcp_nopush on;
  root ${ground.siteFolder};`,
      location: '',
    }),
};

/** Parts of a configuration of nginx that are not the same for all. */
interface NginxParts {
  /** How many a worker may have. */
  readonly connections: number;
  /** Text for all names. */
  readonly directives: string;
  /** Text for each name. */
  readonly location: string;
}

/** Starts Debian's nginx, with a `server` block for each name and one worker. It logs no requests and resumes no sessions. */
export async function startNginx(
  { set, folder }: Place,
  names: number,
  { connections, directives, location }: NginxParts,
): Promise<Serving> {
  const home = await emptyFolder(folder, 'nginx');
  const port = await freePort();
  const servers = Array.from({ length: names }, (_, index) => {
    const pair = pairPath(set.folder, index);
    return `server { listen 127.0.0.1:${port} ssl http2; server_name ${nameOf(index)}; ssl_certificate ${pair}; ssl_certificate_key ${pair}; ${location} }`;
  });
  const configuration = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections ${connections}; }
http {
  access_log off;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  server_names_hash_max_size 262144;
  server_names_hash_bucket_size 128;
  keepalive_requests 1000000000;
  ssl_protocols TLSv1.3;
  ssl_session_cache off;
  ssl_session_tickets off;
  ${directives}
  ${servers.join('\n  ')}
}
`;
  const path = join(home, 'nginx.conf');
  await writeFile(path, configuration);
  return serve(port, { name: 'nginx', command: ['nginx', '-c', path, '-p', home, '-e', join(home, 'error.log')] });
}

/** The minimum that a server on Node can do: the difference to our edge is our cost, the rest is the platform's. */
export const bareNode: Contestant = {
  name: 'node',
  mostNames: Infinity,
  start: async ({ set, siteFolder }) => {
    const port = await freePort();
    const program = fileURLToPath(new URL('bare-node-main.js', import.meta.url));
    const command = [process.execPath, program, String(port), set.folder, join(siteFolder, 'index.html')];
    return serve(port, { name: 'node', command });
  },
};

/** Certificates of the names, and the folder of this run. */
type Place = Pick<Ground, 'set' | 'folder'>;

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program on the server's processor. */
function serve(port: number, { name, command: words, env = {} }: Program): Serving {
  const [command, args] = on(SERVER_PROCESSOR, words);
  const child = run({ name, command, args: [...args], env });
  return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
}

async function emptyFolder(folder: string, name: string): Promise<string> {
  const home = join(folder, name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  return home;
}
