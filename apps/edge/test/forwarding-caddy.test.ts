import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  freePort,
  isInstalled,
  makeTemporaryFolder,
  startServiceProcess,
  type ServiceProcess,
} from '@pets/testing';
import { makeCertificate } from './certificates.js';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication } from './forwarding-fixture.js';
import { askHttp2 } from './visitor.js';

const HOST = 'app.pets.test';
const SIZE = 3_000_000;

describeWhen(describe, 'an application behind Caddy', isInstalled('caddy') ? null : 'caddy is not installed', () => {
  let folder: string;
  let caddy: ServiceProcess;
  let fixture: EdgeFixture;

  beforeAll(async () => {
    folder = await makeTemporaryFolder('caddy-origin');
    const { cert, key } = await makeCertificate('caddy.example');
    const files = join(folder, 'files');
    await mkdir(files);
    await writeFile(join(files, 'large.bin'), 'x'.repeat(SIZE));
    await writeFile(join(folder, 'cert.pem'), cert);
    await writeFile(join(folder, 'key.pem'), key);
    const port = await freePort();
    const path = join(folder, 'caddy.json');
    await writeFile(path, JSON.stringify(configuration(folder, port)));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    caddy = await startServiceProcess({ name: 'caddy', command: 'caddy', args: ['run', '--config', path], env, port });
    fixture = await buildForwardingFixture({ EDGE_ORIGIN_CA: cert });
    await serveApplication(fixture, HOST, `https://localhost:${port}`, { hostHeader: 'caddy.example' });
  });
  afterAll(async () => {
    await fixture.tearDown();
    await caddy.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is reached over TLS, with its own name in the handshake and in Host', async () => {
    const reply = await fixture.visitor.secure(HOST, { path: '/host' });
    expect([reply.status, reply.body]).toEqual([200, `caddy.example ${HOST} https`]);
  });

  it('sends a file, a part of it, and its head', async () => {
    const session = await fixture.visitor.http2(HOST);
    expect((await askHttp2(session, HOST, { path: '/large.bin' })).bytes).toHaveLength(SIZE);
    const part = await fixture.visitor.secure(HOST, { path: '/large.bin', headers: { range: 'bytes=10-19' } });
    expect([part.status, part.body]).toEqual([206, 'x'.repeat(10)]);
    const head = await fixture.visitor.secure(HOST, { path: '/large.bin', method: 'HEAD' });
    expect([head.headers['content-length'], head.body]).toEqual([String(SIZE), '']);
    const { etag } = head.headers;
    const unchanged = await fixture.visitor.secure(HOST, {
      path: '/large.bin',
      headers: { 'if-none-match': etag ?? '' },
    });
    expect([unchanged.status, unchanged.body]).toEqual([304, '']);
  });
});

function configuration(folder: string, port: number) {
  const text = '{http.request.host} {http.request.header.X-Forwarded-Host} {http.request.header.X-Forwarded-Proto}';
  const server = {
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    tls_connection_policies: [{}],
    routes: [
      { match: [{ path: ['/host'] }], handle: [{ handler: 'static_response', body: text }] },
      { handle: [{ handler: 'file_server', root: join(folder, 'files') }] },
    ],
  };
  const files = [{ certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }];
  return {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: folder },
    apps: { http: { servers: { origin: server } }, tls: { certificates: { load_files: files } } },
  };
}
