/** The platform's own certificate, ordered from Pebble by DNS-01 and replaced in a running edge without files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openDevRecords, type DevRecords } from '@pets/dev-stack';
import { startTestStack, type TestStack } from '@pets/lab';
import { describeWhen, freePort, isInstalled, startPebble, waitUntil, type Pebble } from '@pets/testing';
import { visitorOf } from './tls-visits.js';

jest.setTimeout(240_000);

/** Renewed when half of it is left. */
const CERTIFICATE_SECONDS = 60;
const LIMIT = { timeoutMs: 150_000, intervalMs: 200 };

describeWhen(describe, 'the platform’s certificate', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let dataDir: string;
  let pebble: Pebble;
  let stack: TestStack;
  let records: DevRecords;
  let host: string;
  let port: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pets-system-'));
    const [dnsPort, httpPort] = [await freePort(), await freePort()];
    const options = { httpPort, dnsServer: `127.0.0.1:${dnsPort}`, certificateSeconds: CERTIFICATE_SECONDS };
    const started = await startPebble(options);
    if (started === null) throw new Error('pebble is installed and did not start');
    pebble = started;
    stack = await startTestStack({
      dataDir,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        DEV_DNS_PORT: String(dnsPort),
        EDGE_HTTP_PORT: String(httpPort),
        ACME_DIRECTORY_URLS: pebble.directoryUrl,
        NODE_EXTRA_CA_CERTS: pebble.caCertificatePath,
        ISSUE_PLATFORM_CERTIFICATE: 'true',
      },
    });
    records = openDevRecords(stack.dev);
    ({ port } = new URL(stack.dev.edgeHttpsUrl));
    host = `acme-docs.${stack.dev.platformDomain}`;
  });
  afterAll(async () => {
    await stack?.stop();
    await pebble?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Visits on a connection of its own. */
  const visit = () => visitorOf(host, { staysConnected: false }).visit(port);

  it('is refused to visitors until it is there: the edge is ready without it, and nothing was ordered', async () => {
    await expect(visit()).rejects.toThrow('unrecognized name');
    expect(pebble.orders).toBe(0);
  });

  it('is issued once the operator has created the record, and served without a restart', async () => {
    await records.put({
      ...{ name: `_acme-challenge.${stack.dev.platformDomain}`, type: 'CNAME' },
      data: `platform.acme.${stack.dev.platformDomain}.`,
    });
    const isServed = () =>
      visit().then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitUntil(isServed, { ...LIMIT, message: 'the platform certificate is served' });
    const { names, issuer } = await visit();
    expect([names, issuer]).toEqual([`DNS:*.${stack.dev.platformDomain}`, expect.stringContaining('Pebble')]);
  });

  it('is renewed and replaced, while open connections stay', async () => {
    const staying = visitorOf(host, { staysConnected: true });
    const kept = await staying.visit(port);
    const isRenewed = async () => {
      const [again, stays] = [await visit(), await staying.visit(port)];
      expect([again.status, stays.status, stays.localPort]).toEqual([200, 200, kept.localPort]);
      return again.serial !== kept.serial;
    };
    await waitUntil(isRenewed, { ...LIMIT, message: 'the renewed certificate' });
    staying.close();
  });
});
