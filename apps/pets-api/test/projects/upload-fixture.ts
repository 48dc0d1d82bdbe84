import type { CreatedDeployment, DeploymentUpload } from '@pets/contracts';
import type { ApiReplica, ApiResponse } from '../harness.js';
import { bundleOf, manifestOf, type Files } from './bundles.js';
import { CollectionFixture, type Publisher } from './collection-fixture.js';

export type Uploader = Pick<Publisher, 'key' | 'projectId'>;

/** Requests of uploads that send only what a project lacks. */
export class UploadFixture {
  constructor(
    readonly collection: CollectionFixture,
    readonly api: ApiReplica,
  ) {}

  /** The same on another replica. */
  on(api: ApiReplica): UploadFixture {
    return new UploadFixture(this.collection, api);
  }

  /** Begins an upload. @param manifest files, or a body as it is sent */
  open<Body = DeploymentUpload>(
    { key, projectId }: Uploader,
    manifest: Files | string | Buffer,
    { query = '', headers = {} }: { readonly query?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<ApiResponse<Body>> {
    const isBody = typeof manifest === 'string' || Buffer.isBuffer(manifest);
    return this.api.request<Body>('POST', `/v1/projects/${projectId}/uploads${query}`, {
      key,
      body: isBody ? manifest : manifestOf(manifest),
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });
  }

  send<Body = DeploymentUpload>({ key, projectId }: Uploader, id: string, files: Files): Promise<ApiResponse<Body>> {
    const headers = { 'content-type': 'application/gzip' };
    const path = `/v1/projects/${projectId}/uploads/${id}/files`;
    return this.api.request<Body>('POST', path, { key, body: bundleOf(files), headers });
  }

  complete<Body = CreatedDeployment>({ key, projectId }: Uploader, id: string): Promise<ApiResponse<Body>> {
    return this.api.request<Body>('POST', `/v1/projects/${projectId}/uploads/${id}/deployment`, { key });
  }

  /** A complete upload: the archives have what is lacking, in parts by `partOf`. @throws Error when a step is refused */
  async deploy(uploader: Uploader, files: Files, partOf: (path: string) => number = () => 0) {
    const opened = await this.open(uploader, files);
    requireStatus(opened, 201);
    const { id, lacking } = opened.body;
    for (const part of Map.groupBy(lacking, partOf).values())
      requireStatus(await this.send(uploader, id, pick(files, part)), 200);
    const completed = await this.complete(uploader, id);
    requireStatus(completed, 201);
    return { deployment: completed.body, lacking };
  }
}

export function pick(files: Files, paths: readonly string[]): Files {
  return Object.fromEntries(paths.map((path) => [path, files[path] ?? '']));
}

function requireStatus({ status, text }: ApiResponse<unknown>, expected: number): void {
  if (status !== expected) throw new Error(`${status}: ${text}`);
}
