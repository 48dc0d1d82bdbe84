import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startDevCa, waitUntil } from '@pets/testing';
import { makeWorker, startIssuingFixture, type IssuingFixture } from './issuing-fixture.js';

describe('AccountAnnouncer', () => {
  let fixture: IssuingFixture;
  const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
  beforeAll(async () => {
    fixture = await startIssuingFixture();
  });
  afterAll(async () => {
    await fixture.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('announces the account at each CA, and none waits for one that is down or silent', async () => {
    const options = { dataDir, dnsServers: [fixture.dns.address], httpPort: fixture.responder.port };
    const [first, second] = [await startDevCa(options), await startDevCa(options)];
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/directory`;
    const port = await freePort();
    const downUrl = `http://127.0.0.1:${port}/directory`;

    const { announcer, thumbprint, events } = makeWorker(fixture, {
      ACME_DIRECTORY_URLS: [silentUrl, downUrl, first.directoryUrl, second.directoryUrl],
    });
    const ready = () => events.map(({ payload }) => ('thumbprint' in payload ? payload.directoryUrl : '')).sort();
    announcer.start();
    const { directoryUrl } = first;
    await waitUntil(() => events.length === 2);
    expect(ready()).toEqual([first.directoryUrl, second.directoryUrl].sort());
    expect(events[0]).toMatchObject({ name: 'account.ready', payload: { thumbprint } });

    const back = await startDevCa({ ...options, port });
    await waitUntil(() => events.length === 3);
    expect(ready()).toEqual([downUrl, directoryUrl, second.directoryUrl].sort());

    announcer.stop();
    silent.closeAllConnections();
    silent.close();
    await Promise.all([first.close(), second.close(), back.close()]);
  });
});
