import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@pets/dev-stack';
import { run } from '../engine/programs.js';
import { nameOf, pairPath } from './certificate-set.js';
import type { Contestant } from './contestant.js';
import { on, SERVER_PROCESSOR } from './processors.js';

/** Debian's nginx, a `server` block for each name and one worker. It logs no requests and resumes no sessions. */
export const nginx: Contestant = {
  name: 'nginx',
  /** Each block costs memory for a TLS context of its own, whether it is asked for or not. */
  mostNames: 10_000,
  start: async ({ set, folder, siteFolder }, names) => {
    const home = join(folder, 'nginx');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const port = await freePort();
    const servers = Array.from({ length: names }, (_, index) => {
      const pair = pairPath(set.folder, index);
      return `server { listen 127.0.0.1:${port} ssl http2; server_name ${nameOf(index)}; ssl_certificate ${pair}; ssl_certificate_key ${pair}; }`;
    });
    const path = join(home, 'nginx.conf');
    await writeFile(path, configuration(home, siteFolder, servers));
    const [command, args] = on(SERVER_PROCESSOR, ['nginx', '-c', path, '-p', home, '-e', join(home, 'error.log')]);
    const child = run({ name: 'nginx', command, args: [...args] });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

/** As Debian's is in what is not said here: sendfile and tcp_nopush. */
function configuration(home: string, siteFolder: string, servers: readonly string[]): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections 2048; }
http {
  types { text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; image/png png; }
  access_log off;
  sendfile on;
  tcp_nopush on;
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
  root ${siteFolder};
  ${servers.join('\n  ')}
}
`;
}
