import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { flood, frame, frameType, headerBlock, opening } from './raw-http2.js';
import { EdgeFixture } from './edge-fixture.js';
import { askHttp2 } from './visitor.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
});
afterAll(() => fixture.tearDown());

const connect = () => fixture.visitor.handshake('site.test', { ALPNProtocols: ['h2'] });
const repeat = (times: number, piece: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: times }, (_, index) => piece(index)));

afterEach(async () => {
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  expect((await askHttp2(await fixture.visitor.http2('site.test'), 'site.test')).status).toBe(200);
});

const endHeaders = 0x4;
const endStream = 0x1;
const block = headerBlock('site.test');

describe('an HTTP/2 client is disconnected, while others are served,', () => {
  it('when it resets its streams at once (CVE-2023-44487)', async () => {
    const rapidReset = (index: number) => {
      const streamId = index * 2 + 1;
      return Buffer.concat([
        frame(frameType.headers, endHeaders | endStream, streamId, block),
        frame(frameType.rstStream, 0, streamId, Buffer.from([0, 0, 0, 8])),
      ]);
    };
    const before = await fixture.count('edge_requests_total{status="2xx",protocol="http/2"}');
    await flood(await connect(), opening, (round) => repeat(100, (index) => rapidReset(round * 100 + index)));
    const answered = (await fixture.count('edge_requests_total{status="2xx",protocol="http/2"}')) - before;
    expect(answered).toBeLessThan(2_000); // of as many as it could send until then
  });

  it('when it sends endless headers (CVE-2024-27983)', async () => {
    const first = Buffer.concat([opening, frame(frameType.headers, 0, 1, block)]);
    await flood(await connect(), first, () =>
      repeat(50, () => frame(frameType.continuation, 0, 1, Buffer.from([0x82]))),
    );
  });

  it('when it sends endless empty CONTINUATION frames', async () => {
    const first = Buffer.concat([opening, frame(frameType.headers, 0, 1, block)]);
    await flood(await connect(), first, () => repeat(50, () => frame(frameType.continuation, 0, 1)));
  });

  it('when it floods with PINGs and reads the answers (CVE-2019-9512)', async () => {
    await flood(await connect(), opening, () => repeat(50, () => frame(frameType.ping, 0, 0, Buffer.alloc(8))));
    expect(await fixture.count('edge_http2_sessions_ended_total{reason=\"ping_flood\"}')).toBe(1);
  });

  it('when it floods with SETTINGS (CVE-2019-9515)', async () => {
    await flood(await connect(), opening, () => repeat(50, () => frame(frameType.settings, 0, 0)));
    expect(await fixture.count('edge_http2_sessions_ended_total{reason=\"settings_flood\"}')).toBe(1);
  });

  it.each([
    ['priorities', frame(frameType.priority, 0, 1, Buffer.from([0, 0, 0, 0, 1]))],
    ['answers to PINGs that were not sent', frame(frameType.ping, 0x1, 0, Buffer.alloc(8))],
    ['answers to SETTINGS that were not sent', frame(frameType.settings, 0x1, 0)],
    ['types that are unknown', frame(77, 0, 0, Buffer.from('hello'))],
  ])('when it floods with useless frames: %s', async (_name, useless) => {
    await flood(await connect(), opening, () => repeat(50, () => useless));
  });

  it('when it sends frames of unknown streams', async () => {
    await flood(await connect(), opening, (round) =>
      repeat(50, () => frame(frameType.data, 0, 2 * round + 1, Buffer.from('x'))),
    );
  });

  it('when it opens more streams than allowed', async () => {
    await flood(await connect(), opening, (round) =>
      repeat(100, (index) => frame(frameType.headers, endHeaders, (round * 100 + index) * 2 + 1, block)),
    );
  });

  it('when it sends invalid HTTP/2', async () => {
    await flood(await connect(), Buffer.from('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n'), () => Buffer.from('x'));
  });
});
