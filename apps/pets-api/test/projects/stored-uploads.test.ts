/** Files of uploads in the storage, while deployments are collected and processes die. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, type FileStorage } from '@pets/platform';
import { sql } from 'kysely';
import { DatabaseBudget } from '../../src/access/limits/database-budget.service.js';
import { BundleReceiver, BundleStorage } from '../../src/projects/deployments/bundle-storage.service.js';
import { DeploymentRegistration } from '../../src/projects/deployments/deployment-registration.service.js';
import { DeploymentsRepository } from '../../src/projects/deployments/deployments.repository.js';
import { DeploymentsService } from '../../src/projects/deployments/deployments.service.js';
import { SiteIndexBuilder } from '../../src/projects/deployments/site-index.service.js';
import { UploadSlots } from '../../src/projects/deployments/upload-slots.js';
import { ProjectsRepository, ProjectTransactions } from '../../src/projects/projects.repository.js';
import { DeploymentUploadsRepository } from '../../src/projects/uploads/deployment-uploads.repository.js';
import { KeptContents } from '../../src/projects/uploads/kept-contents.service.js';
import { UploadCompletion, UploadFiles } from '../../src/projects/uploads/deployment-uploads.service.js';
import { UploadOpening } from '../../src/projects/uploads/upload-opening.service.js';
import { bundleOf, manifestOf, type Files } from './bundles.js';
import { CollectionFixture, type Publisher } from './collection-fixture.js';
import { pick, UploadFixture } from './upload-fixture.js';

let fixture: CollectionFixture;
let uploads: UploadFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
  uploads = new UploadFixture(fixture, fixture.api);
});
afterAll(() => fixture.close());

const fresh = () => randomUUID();

/** The files of kept deployments and open uploads that the storage does not have. */
async function missingObjects(): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct o.key from bundles b cross join unnest(b.object_ids) as object (id)
    join stored_objects o on o.id = object.id
    where exists (select from deployments d where d.bundle_id = b.id and d.state = 'ready')`.execute(fixture.api.db);
  const stored = new Set(await fixture.stored());
  return rows.map(({ key }) => key).filter((key) => !stored.has(key));
}

describe('files that an upload relies on', () => {
  it('stay while their deployment is collected and swept, and for as long as the new one is kept', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    const [kept, added] = [fresh(), fresh()];
    await fixture.upload(publisher, { 'kept.html': kept });
    const files = { 'kept.html': kept, 'added.html': added };
    const { id, lacking } = (await uploads.open(publisher, files)).body;
    expect(lacking).toEqual(['added.html']);
    await fixture.upload(publisher, { 'other.html': fresh() });
    // Without the hour, in which no sweep gets so far.
    await fixture.collect(23);
    await uploads.send(publisher, id, { 'added.html': added });
    await fixture.collect(23);
    expect((await uploads.complete(publisher, id)).status).toBe(201);
    expect(await missingObjects()).toEqual([]);
    await fixture.collect(50);
    expect(await missingObjects()).toEqual([]);
  });

  it('of an upload that is not completed go after a day, with its manifest', async () => {
    const publisher = await fixture.publisher('pro');
    const before = await fixture.stored();
    const files = { 'a.html': fresh(), 'b.html': fresh() };
    const { id } = (await uploads.open(publisher, files)).body;
    await uploads.send(publisher, id, pick(files, ['a.html']));
    await fixture.collect(23);
    expect((await fixture.stored()).length).toBe(before.length + 2);
    await fixture.collect(26);
    expect((await fixture.stored()).filter((key) => !before.includes(key))).toEqual([]);
    const { rows } = await sql<{ bytes: bigint }>`
      select bytes from organization_storage where organization_id = ${publisher.organizationId}`.execute(
      fixture.api.db,
    );
    expect(rows).toEqual([{ bytes: 0n }]);
  });

  it('are never lost, however uploads and sweeps meet', async () => {
    const publishers = await Promise.all(
      Array.from({ length: 3 }, () => fixture.publisher('enterprise', { keptDeployments: 1 })),
    );
    const pool = Array.from({ length: 6 }, fresh);
    let isOver = false;
    const sweeping = Promise.all(
      [1, 2].map(async () => {
        const { collection } = fixture.parts(23);
        while (!isOver) await collection.collect(20);
      }),
    );
    const publish = async (publisher: Publisher, nth: number) => {
      for (let round = 0; round < 12; round++) {
        const files = Object.fromEntries([0, 1, 2].map((at) => [`${at}`, pool[(round * (nth + 1) + at) % 6] ?? '']));
        await uploads.deploy(publisher, files);
      }
    };
    await Promise.all(publishers.map(publish));
    isOver = true;
    await sweeping;
    expect(await missingObjects()).toEqual([]);
    await fixture.collect(26);
    expect(await missingObjects()).toEqual([]);
  });
});

describe('a process that dies', () => {
  /** The services of an upload with a storage that fails at some write, as a process that dies there. */
  function servicesWith(storage: FileStorage) {
    const { api } = fixture;
    const [budget, registration] = [api.service(DatabaseBudget), api.service(DeploymentRegistration)];
    const [deployments, projects] = [api.service(DeploymentsRepository), api.service(ProjectsRepository)];
    const [slots, receiver] = [api.service(UploadSlots), api.service(BundleReceiver)];
    const repository = api.service(DeploymentUploadsRepository);
    const log = createLogger('test', 'silent');
    const indexes = new SiteIndexBuilder(storage, deployments, log);
    const bundles = new BundleStorage(storage, projects, receiver, registration, indexes, budget);
    const kept = new KeptContents(storage, deployments, log);
    return {
      repository,
      opening: new UploadOpening(storage, projects, budget, slots, kept, registration),
      files: new UploadFiles(storage, repository, budget, receiver, registration),
      completion: new UploadCompletion(
        ...([storage, projects, api.service(ProjectTransactions), budget, slots, bundles] as const),
        ...([deployments, api.service(DeploymentsService), repository] as const),
      ),
    };
  }

  const died = () => Promise.reject(new Error('died'));

  it('at any step leaves an upload that another process completes', async () => {
    const replica = uploads.on(await fixture.api.startReplica());
    const publisher = await fixture.publisher('pro');
    const { organizationId, projectId } = publisher;
    await fixture.upload(publisher, { 'kept.html': 'kept' });
    const files: Files = { 'kept.html': 'kept', 'a.html': fresh(), 'b.html': fresh() };
    const writesNothing = servicesWith({ ...fixture.storage, write: died, copyFromFs: died });
    const body = Readable.from([Buffer.from(manifestOf(files))]);
    const manifest = { organizationId, projectId, body, isGzipped: false, query: {} };
    await expect(writesNothing.opening.check(manifest)).rejects.toThrow('died');
    const { id } = (await uploads.open(publisher, files)).body;
    const find = async () => {
      const upload = await writesNothing.repository.find(projectId, id);
      if (upload === null) throw new Error('there is no upload');
      return upload;
    };
    const archive = Readable.from([bundleOf(pick(files, ['a.html']))]);
    const sent = writesNothing.files.add({ organizationId, projectId, upload: await find(), archive });
    await expect(sent).rejects.toThrow('died');
    // Registered, but not held.
    expect((await replica.send(publisher, id, pick(files, ['b.html']))).body.lacking).toEqual(['a.html']);
    expect((await uploads.send(publisher, id, pick(files, ['a.html']))).body.lacking).toEqual([]);
    const writesNoIndex = servicesWith({
      ...fixture.storage,
      write: (key, content) => (key.startsWith('sites/') ? died() : fixture.storage.write(key, content)),
    });
    await expect(writesNoIndex.completion.store({ organizationId, projectId }, await find())).rejects.toThrow('died');
    expect(await fixture.list(publisher)).toHaveLength(1);
    // All is stored, and the process dies before the deployment is created.
    await servicesWith(fixture.storage).completion.store({ organizationId, projectId }, await find());
    await fixture.collect(23);
    expect((await replica.complete(publisher, id)).status).toBe(201);
    expect(await missingObjects()).toEqual([]);
    expect(await fixture.list(publisher)).toHaveLength(2);
  });
});

describe('an upload of which one file in a thousand changed', () => {
  it('sends less than a twentieth of the bytes', async () => {
    const publisher = await fixture.publisher('enterprise');
    // Pages of 5 KB that compress to 2 KB.
    const common = randomBytes(1_000).toString('hex');
    const pageOf = (nth: number) => `<title>${nth}</title>${common}${randomBytes(1_500).toString('hex')}`;
    const before: Files = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, nth) => [`docs/chapter-${nth % 100}/page-${nth}.html`, pageOf(nth)] as const),
    );
    const changed = Object.fromEntries(
      Object.keys(before)
        .slice(0, 2)
        .map((path, nth) => [path, pageOf(nth)]),
    );
    const files = { ...before, ...changed };
    const first = await fixture.api.request('POST', publisher.path, {
      key: publisher.key,
      body: bundleOf(before),
      headers: { 'content-type': 'application/gzip' },
    });
    expect(first.status).toBe(201);
    const manifest = gzipSync(manifestOf(files));
    const opened = await uploads.open(publisher, manifest, { headers: { 'content-encoding': 'gzip' } });
    expect([...opened.body.lacking].sort()).toEqual(Object.keys(changed).sort());
    await uploads.send(publisher, opened.body.id, changed);
    const { body: deployment } = await uploads.complete(publisher, opened.body.id);
    expect(deployment).toMatchObject({ files: 2_000, active: true });
    const [whole, sent] = [bundleOf(files).length, manifest.length + bundleOf(changed).length];
    expect(sent).toBeLessThan(whole / 20);
  });
});
