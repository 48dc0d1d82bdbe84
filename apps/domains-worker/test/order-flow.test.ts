import { afterEach, describe, expect, it } from '@jest/globals';
import { AcmeAccount } from '../src/certificate-authority/acme-account.js';
import { AcmeServer } from '../src/certificate-authority/acme-server.js';
import {
  orderCertificate,
  type CertificateRequest,
  type ControlProof,
  type PlacedOrder,
  type Progress,
} from '../src/issuance/order-certificate.js';
import { makeAccountKey, makeCsr } from './certificates.js';
import { directory, problem, startScriptedCa, type Script, type Scripted, type ScriptedCa } from './scripted-ca.js';

const name = 'docs.acme.example';
const order = (status: string, extra: object = {}): Scripted => ({
  headers: { location: '{ca}/order' },
  body: { status, authorizations: ['{ca}/authz'], finalize: '{ca}/finalize', certificate: '{ca}/cert', ...extra },
});
const authorization = (status: string, extra: object = {}): Scripted => ({
  body: { status, challenges: [{ type: 'http-01', url: '{ca}/challenge', token: 't', ...extra }] },
});
const later = (scripted: Scripted, seconds: string): Scripted => ({
  ...scripted,
  headers: { ...scripted.headers, 'retry-after': seconds },
});

/** A CA where all goes well, and at once. */
const usual: Script = {
  '/dir': [{ body: directory }],
  '/nonce': [{}],
  '/new-order': [order('pending')],
  '/authz': [authorization('pending'), authorization('valid')],
  '/challenge': [{ body: {} }],
  '/order': [order('ready')],
  '/finalize': [order('valid')],
  '/cert': [{ body: 'the chain' }],
};
const flow = ['/new-order', '/authz', '/challenge', '/authz', '/finalize', '/cert'];

/** Publishes nothing, as for HTTP-01. */
const control: ControlProof = { method: 'http-01', publish: () => Promise.resolve(() => Promise.resolve()) };

describe('an order', () => {
  let ca: ScriptedCa;
  afterEach(() => ca.stop());

  async function run(changes: Script, options: Partial<CertificateRequest> = {}) {
    ca = await startScriptedCa({ ...usual, ...changes });
    const account = new AcmeAccount(new AcmeServer(ca.directoryUrl), makeAccountKey(), `${ca.url}/account`);
    const progress: Progress = { stage: 'gate', ordered: false, isContinuable: false, method: null };
    const request = { name, csrPem: await makeCsr(name), profile: null, replaces: null, ...options };
    const began = performance.now();
    const placed: PlacedOrder[] = [];
    const onOrdered = async (order: PlacedOrder) => void placed.push(order);
    const signal = AbortSignal.timeout(10_000);
    const chain = await orderCertificate(account, request, { control, progress }, onOrdered, signal).catch(
      (error: unknown) => error,
    );
    const asked = ca.requestedPaths().filter((path) => path !== '/dir' && path !== '/nonce');
    return { chain, progress, placed, asked, tookMs: performance.now() - began };
  }

  it('takes six requests if the CA finishes at once', async () => {
    const { chain, asked } = await run({});
    expect(chain).toBe('the chain');
    expect(asked).toEqual(flow);
  });

  it.each<[string, Script, string[]]>([
    ['that is ready', { '/new-order': [order('ready')] }, ['/new-order', '/finalize', '/cert']],
    ['that is valid', { '/new-order': [order('valid')] }, ['/new-order', '/cert']],
    [
      'that is being processed',
      { '/new-order': [order('processing')], '/order': [order('valid')] },
      ['/new-order', '/order', '/cert'],
    ],
    [
      'whose name is proven already',
      { '/authz': [authorization('valid')] },
      ['/new-order', '/authz', '/finalize', '/cert'],
    ],
  ])('%s continues from there', async (_case, script, requests) => {
    const { chain, asked } = await run(script);
    expect(chain).toBe('the chain');
    expect(asked).toEqual(requests);
  });

  it.each<[string, Script, string[]]>([
    ['the authorization', { '/challenge': [later({ body: {} }, '1')] }, flow],
    [
      'the order that is not ready yet',
      {
        '/finalize': [problem('orderNotReady', 403), order('valid')],
        '/order': [later(order('pending'), '1'), order('ready')],
      },
      ['/new-order', '/authz', '/challenge', '/authz', '/finalize', '/order', '/order', '/finalize', '/cert'],
    ],
    [
      'the order after finalize',
      { '/finalize': [later(order('processing'), '1')], '/order': [order('valid')] },
      ['/new-order', '/authz', '/challenge', '/authz', '/finalize', '/order', '/cert'],
    ],
  ])('is not asked about sooner than the CA allows: %s', async (_case, script, requests) => {
    const { chain, asked, tookMs } = await run(script);
    expect(chain).toBe('the chain');
    expect(asked).toEqual(requests);
    // Retry-After has whole seconds.
    expect(tookMs).toBeGreaterThan(900);
  });

  it('fails with the retry time if the CA asks for a longer wait than an attempt allows', async () => {
    const { chain, progress } = await run({ '/finalize': [later(order('processing'), '600')] });
    expect(chain).toMatchObject({ problem: { type: null, retryAt: expect.any(String) } });
    expect(progress).toEqual({ stage: 'finalize', ordered: true, method: null, isContinuable: false });
  });

  it.each(['deactivated', 'expired', 'revoked'])('fails if the authorization is %s', async (status) => {
    const { chain, progress, asked } = await run({ '/authz': [authorization(status)] });
    expect(chain).toMatchObject({ problem: { type: null, detail: `the authorization is ${status}` } });
    expect(progress.stage).toBe('challenge');
    expect(asked).toEqual(['/new-order', '/authz']);
  });

  it('fails with the problem of the CA, including the sub-problem', async () => {
    const type = 'urn:ietf:params:acme:error:unauthorized';
    const error = { type, detail: 'see below', status: 403, subproblems: [{ type, detail: 'a page came' }] };
    const { chain } = await run({ '/authz': [authorization('pending'), authorization('invalid', { error })] });
    expect(chain).toMatchObject({ problem: { type, status: 403, detail: 'a page came' } });
  });

  it('fails with the error of the order if it becomes invalid after finalize', async () => {
    const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA forbids', status: 403 };
    const { chain, progress } = await run({ '/finalize': [order('invalid', { error })] });
    expect(chain).toMatchObject({ problem: { type: error.type, detail: 'CAA forbids', status: 403 } });
    expect(progress.stage).toBe('finalize');
  });

  it('fails if the CA offers no http-01 challenge', async () => {
    const offered = { body: { status: 'pending', challenges: [{ type: 'dns-01', url: '{ca}/challenge' }] } };
    const { chain } = await run({ '/authz': [offered] });
    expect(chain).toMatchObject({ problem: { detail: 'the CA offers no http-01 challenge' } });
  });

  it('is finalized again after orderNotReady', async () => {
    const { chain, asked } = await run({ '/finalize': [problem('orderNotReady', 403), order('valid')] });
    expect(chain).toBe('the chain');
    expect(asked.slice(4)).toEqual(['/finalize', '/order', '/finalize', '/cert']);
  });

  it('is finalized at most three times', async () => {
    const { chain, asked } = await run({ '/finalize': [problem('orderNotReady', 403)] });
    expect(chain).toMatchObject({ problem: { type: 'urn:ietf:params:acme:error:orderNotReady' } });
    expect(asked.filter((path) => path === '/finalize')).toHaveLength(3);
  });

  describe('with options', () => {
    const wishes = { profile: 'tlsserver', replaces: 'aki.serial' };
    const able: Script = {
      '/dir': [{ body: { ...directory, renewalInfo: '{ca}/ari', meta: { profiles: { tlsserver: 'short' } } } }],
    };
    const identifiers = [{ type: 'dns', value: name }];
    const orders = () => ca.requests.filter(({ path }) => path === '/new-order').map(({ payload }) => payload);

    it('sends them to a CA that supports them', async () => {
      await run(able, wishes);
      expect(orders()).toEqual([{ identifiers, ...wishes }]);
    });

    it('does not send them to a CA that does not support them', async () => {
      await run({}, wishes);
      expect(orders()).toEqual([{ identifiers }]);
    });

    it('does not send a profile that the CA does not offer', async () => {
      await run(able, { ...wishes, profile: 'toString' });
      expect(orders()).toEqual([{ identifiers, replaces: 'aki.serial' }]);
    });

    it.each([
      ['alreadyReplaced', 409],
      ['malformed', 404],
      ['unauthorized', 403],
    ])('does without the replacing where the CA refuses it: %s', async (type, status) => {
      const { chain, placed } = await run({ ...able, '/new-order': [problem(type, status), order('pending')] }, wishes);
      expect(chain).toBe('the chain');
      expect(placed).toMatchObject([{ replaces: null }]);
      expect(orders()).toEqual([
        { identifiers, ...wishes },
        { identifiers, profile: 'tlsserver' },
      ]);
    });

    it('orders without the profile if the CA refuses it', async () => {
      const { chain } = await run({ ...able, '/new-order': [problem('invalidProfile'), order('pending')] }, wishes);
      expect(chain).toBe('the chain');
      expect(orders()).toEqual([
        { identifiers, ...wishes },
        { identifiers, replaces: 'aki.serial' },
      ]);
    });

    it.each(['rateLimited', 'rejectedIdentifier', 'alreadyReplaced'])(
      'is placed once more at most for each of them, and not at all for another reason: %s',
      async (type) => {
        const { chain } = await run({ ...able, '/new-order': [problem(type)] }, wishes);
        expect(chain).toMatchObject({ problem: { type: `urn:ietf:params:acme:error:${type}` } });
        expect(orders()).toHaveLength(type === 'alreadyReplaced' ? 2 : 1);
      },
    );
  });
});
