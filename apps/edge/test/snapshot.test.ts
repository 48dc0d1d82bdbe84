import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { EdgeFixture, siteRoute } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
  await fixture.publishSite('gone.test');
});

afterEach(() => fixture.tearDown());

const refusalOf = (host: string) => expect(fixture.visitor.handshake(host)).rejects.toThrow('unrecognized name');

/** The next snapshot is of a new database. */
async function startEpoch(): Promise<void> {
  await fixture.issue('new', 'new.test');
  fixture.api.startEpoch('epoch-2', { 'new.test': siteRoute('new') });
  fixture.api.snapshotsSent.length = 0;
}

describe('a snapshot', () => {
  it('brings an edge up to date that is too far behind for changes', async () => {
    await fixture.api.down();
    const version = fixture.api.publish({ 'gone.test': null });
    fixture.api.compact();
    fixture.api.snapshotsSent.length = 0;
    await fixture.api.up();
    await fixture.api.acknowledged(version);
    expect(fixture.api.snapshotsSent).toEqual([version]);
    await refusalOf('gone.test');
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    expect(fixture.api.feedRequests.at(-1)?.get('after')).toBe(String(version));
  });

  it('ends the connections of hosts that it lacks, and of no others', async () => {
    const [kept, gone] = [fixture.visitor.keepAliveAgent(), fixture.visitor.keepAliveAgent()];
    await fixture.visitor.secure('site.test', {}, kept);
    await fixture.visitor.secure('gone.test', {}, gone);
    await fixture.api.down();
    const version = fixture.api.publish({ 'gone.test': null });
    fixture.api.compact();
    await fixture.api.up();
    await fixture.api.acknowledged(version);
    await expect(fixture.visitor.secure('gone.test', {}, gone)).rejects.toThrow();
    expect((await fixture.visitor.secure('site.test', {}, kept)).status).toBe(200);
  });

  it('may have many chunks', async () => {
    await startEpoch();
    fixture.api.publish(Object.fromEntries(Array.from({ length: 350 }, (_, i) => [`h${i}.test`, siteRoute('new')])));
    fixture.api.dropFeeds();
    await fixture.api.acknowledged(fixture.api.version);
    expect(await fixture.count('edge_routes')).toBe(351);
  });

  it.each([
    [
      'whose manifest was changed',
      'manifest.json',
      (content: Buffer) => replaceText(content, '"hosts":1', '"hosts":2'),
    ],
    ['whose manifest is cut off', 'manifest.json', (content: Buffer) => content.subarray(0, -1)],
    ['whose chunk was changed', '0.zst', (content: Buffer) => Buffer.from(content.map((byte) => byte ^ 1))],
    ['whose chunk is cut off', '0.zst', (content: Buffer) => content.subarray(0, -1)],
  ])('%s is refused: the edge serves nothing of it and continues with its own table', async (_name, file, damage) => {
    await startEpoch();
    fixture.api.damage = (key, content) => (key.endsWith(file) ? damage(content) : content);
    fixture.api.dropFeeds();
    await waitUntil(() => fixture.api.snapshotsSent.length > 1, { message: 'it has tried twice' });
    await refusalOf('new.test');
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    expect(fixture.api.hasAcknowledged(1)).toBe(false);
    fixture.api.damage = undefined;
    await fixture.api.acknowledged(1);
    expect((await fixture.visitor.secure('new.test')).status).toBe(200);
    await refusalOf('site.test');
  });

  it('that the storage does not have is refused', async () => {
    await startEpoch();
    const { epoch, version } = fixture.api;
    const file = { manifestKey: 'snapshots/none/manifest.json', manifestSha256: 'a'.repeat(64), manifestBytes: 100 };
    const before = fixture.api.feedRequests.length;
    fixture.api.sendRaw(JSON.stringify({ kind: 'snapshot', epoch, version, ...file }));
    await waitUntil(() => fixture.api.feedRequests.length > before, { message: 'it has connected again' });
    await fixture.api.acknowledged(1);
    expect((await fixture.visitor.secure('new.test')).status).toBe(200);
  });

  it('older than the table is not served before the changes since then', async () => {
    const version = fixture.api.version + 1;
    const older = await fixture.api.writeSnapshot();
    await fixture.api.publishAndSettle({ 'gone.test': null });
    fixture.api.acceptsAcks = false;
    fixture.api.sendRaw(JSON.stringify(older));
    const before = fixture.api.feedRequests.length;
    await waitUntil(() => fixture.api.feedRequests.length > before, { message: 'it has loaded the snapshot' });
    expect(fixture.api.feedRequests.at(-1)?.get('after')).toBe(String(older.version));
    await refusalOf('gone.test');
    fixture.api.acceptsAcks = true;
    fixture.api.acks.length = 0;
    await fixture.api.acknowledged(version);
    await refusalOf('gone.test');
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });
});

function replaceText(content: Buffer, text: string, by: string): Buffer {
  const before = content.toString();
  expect(before).toContain(text);
  return Buffer.from(before.replace(text, by));
}
