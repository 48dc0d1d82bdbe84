import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled, type Pebble } from '@pets/testing';
import {
  jobFor,
  makeWorker,
  pointHere,
  startIssuingFixture,
  startPebbleProxy,
  startTrustedPebble,
  type IssuingFixture,
  type IssuingWorker,
  type PebbleProxy,
} from './issuing-fixture.js';

const keyId = 'kid-1';
const macKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';

describeWhen(describe, 'a CA', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let fixture: IssuingFixture;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    fixture = await startIssuingFixture();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => fixture.stop());

  async function startCa(options: Parameters<typeof startTrustedPebble>[1]): Promise<Pebble> {
    const pebble = await startTrustedPebble(fixture, options);
    closing.push(() => pebble.stop());
    return pebble;
  }

  async function proxied(pebble: Pebble): Promise<PebbleProxy> {
    const proxy = await startPebbleProxy(pebble);
    closing.push(() => proxy.close());
    return proxy;
  }

  async function issue({ issuance, events }: IssuingWorker, name: string, directoryUrl: string) {
    const before = events.length;
    await issuance.issue(await jobFor(name, directoryUrl), AbortSignal.timeout(20_000));
    return events.slice(before);
  }

  it('is polled while it validates the challenge slowly', async () => {
    const pebble = await startCa({ validationSeconds: 2, nonceRejectPercent: 50 });
    const worker = makeWorker(fixture);
    const events = await Promise.all(
      [1, 2, 3].map(async () => issue(makeWorker(fixture), pointHere(fixture), pebble.directoryUrl)),
    );
    expect(events.flat()).toMatchObject(events.map(() => ({ name: 'certificate.issued' })));
    expect(worker.events).toEqual([]);
  });

  it('costs one attempt if it loses its state between challenge and finalize, and never gets two orders at once', async () => {
    const pebble = await startCa({});
    const proxy = await proxied(pebble);
    const orders = () => proxy.requests.filter((line) => line.includes('/order-plz')).length;
    const worker = makeWorker(fixture);
    const name = pointHere(fixture);
    proxy.fail(/finalize-order/, { kind: 'held', until: () => pebble.restart() });

    const type = 'urn:ietf:params:acme:error:accountDoesNotExist';
    expect(await issue(worker, name, proxy.directoryUrl)).toMatchObject([
      { name: 'certificate.failed', payload: { stage: 'finalize', ordered: true, problem: { type } } },
    ]);
    expect(orders()).toBe(1);

    expect(await issue(worker, name, proxy.directoryUrl)).toMatchObject([{ name: 'certificate.issued' }]);
    expect(orders()).toBe(2);
  });

  it('gets the account registered again in the same attempt after losing it between two orders', async () => {
    const pebble = await startCa({});
    const worker = makeWorker(fixture);
    await issue(worker, pointHere(fixture), pebble.directoryUrl);
    await pebble.restart();
    expect(await issue(worker, pointHere(fixture), pebble.directoryUrl)).toMatchObject([
      { name: 'account.ready', payload: { thumbprint: worker.thumbprint } },
      { name: 'certificate.issued' },
    ]);
  });

  describe('that requires an external account', () => {
    let pebble: Pebble;
    beforeAll(async () => {
      pebble = await startTrustedPebble(fixture, { externalAccounts: { [keyId]: macKey } });
    });
    afterAll(() => pebble.stop());
    const bound = (hmacKey: string) => {
      const { directoryUrl } = pebble;
      return makeWorker(fixture, {
        ACME_EAB: [{ directoryUrl, keyId, hmacKey: Buffer.from(hmacKey, 'base64url') }],
      });
    };

    it('is not asked to register without one', async () => {
      const problem = {
        type: 'urn:ietf:params:acme:error:externalAccountRequired',
        detail: expect.stringContaining('ACME_EAB'),
      };
      expect(await issue(makeWorker(fixture), pointHere(fixture), pebble.directoryUrl)).toMatchObject([
        { name: 'certificate.failed', payload: { stage: 'account', ordered: false, problem } },
      ]);
    });

    it('refuses a wrong key of the external account', async () => {
      const wrong = bound(macKey.toLowerCase());
      expect(await issue(wrong, pointHere(fixture), pebble.directoryUrl)).toMatchObject([
        { name: 'certificate.failed', payload: { stage: 'account', ordered: false, problem: { status: 403 } } },
      ]);
    });

    it('issues to a bound account', async () => {
      expect(await issue(bound(macKey), pointHere(fixture), pebble.directoryUrl)).toMatchObject([
        { name: 'certificate.issued' },
      ]);
    });

    it('finds the registered account without the external account', async () => {
      await issue(bound(macKey), pointHere(fixture), pebble.directoryUrl);
      expect(await issue(makeWorker(fixture), pointHere(fixture), pebble.directoryUrl)).toMatchObject([
        { name: 'certificate.issued' },
      ]);
    });
  });
});
