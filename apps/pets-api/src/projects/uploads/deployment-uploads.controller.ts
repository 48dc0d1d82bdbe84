/**
 * Deployments that send only the contents that their project lacks:
 *
 * 1. A manifest is checked by the rules for archives. The answer says which contents the kept deployments of the project do
 *    not have. What else is stored is never looked at, so nobody learns what others have.
 * 2. Archives bring these contents. They are registered before they are written, as bundles without a deployment, and
 *    count as held afterwards.
 * 3. The deployment is made of the same parts as that of one archive.
 *
 * Sizes in a manifest are claims: those of held contents were compared with an index of the project or with what arrived, so
 * only true ones reach `stored_objects`. Held contents need no registration of their own: files of a bundle that has no kept
 * deployment stay stored for a day, and an upload is open for an hour. Its own bundles end in the same way.
 */
import { Readable } from 'node:stream';
import { Body, Controller, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  newDeploymentSchema,
  type CreatedDeployment,
  type DeploymentUpload,
  type NewDeployment,
} from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { ProjectsRepository } from '../projects.repository.js';
import { DeploymentUploadsRepository, type DeploymentUploadRow } from './deployment-uploads.repository.js';
import { UploadCompletion, UploadFiles } from './deployment-uploads.service.js';
import { UploadOpening } from './upload-opening.service.js';

type Id = z.infer<typeof idSchema>;

@Controller('v1/projects/:projectId/uploads')
export class DeploymentUploadsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly uploads: DeploymentUploadsRepository,
    private readonly opening: UploadOpening,
    private readonly files: UploadFiles,
    private readonly completion: UploadCompletion,
    private readonly idempotency: Idempotency,
  ) {}

  @Post()
  async open(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Query({ schema: newDeploymentSchema }) query: NewDeployment,
    @Headers('content-encoding') encoding: string | undefined,
    @Body() body: unknown,
  ): Promise<DeploymentUpload> {
    if (!(body instanceof Readable))
      throw new RequestError('unsupported_media_type', 'The body must be application/x-ndjson: a line for each file.');
    const isGzipped = encoding?.toLowerCase() === 'gzip';
    const { lacking, ...upload } = await this.opening.check({ organizationId, projectId, body, isGzipped, query });
    return present(projectId, await this.uploads.insert(upload), lacking);
  }

  @Post(':uploadId/files')
  @HttpCode(200)
  async addFiles(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('uploadId', { schema: idSchema }) uploadId: Id,
    @Body() archive: unknown,
  ): Promise<DeploymentUpload> {
    if (!(archive instanceof Readable))
      throw new RequestError('unsupported_media_type', 'The body must be application/gzip: a gzipped tar.');
    const upload = await this.get(organizationId, projectId, uploadId);
    return present(projectId, upload, await this.files.add({ organizationId, projectId, upload, archive }));
  }

  @Post(':uploadId/deployment')
  async complete(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('uploadId', { schema: idSchema }) uploadId: Id,
  ): Promise<CreatedDeployment | JsonText> {
    const { organizationId } = call.principal;
    const upload = await this.get(organizationId, projectId, uploadId);
    const isDeployed = upload.deploymentId !== null;
    const stored = isDeployed ? null : await this.completion.store({ organizationId, projectId }, upload);
    return this.idempotency.run(call, async (db) => ({
      body: { ...(await this.completion.deploy(db, projectId, uploadId, stored)), ignored: upload.ignored },
      location: `/v1/projects/${projectId}/deployments`,
    }));
  }

  /** @throws RequestError `not_found` */
  private async get(organizationId: string, projectId: string, uploadId: string): Promise<DeploymentUploadRow> {
    await this.projects.get(organizationId, projectId);
    const upload = await this.uploads.find(projectId, uploadId);
    if (upload !== null) return upload;
    throw new RequestError('not_found', 'There is no such upload of this project, or it has ended.');
  }
}

function present(
  projectId: string,
  { id, expiresAt, ignored }: DeploymentUploadRow,
  lacking: readonly string[],
): DeploymentUpload {
  return { id, projectId, expiresAt: expiresAt.toISOString(), lacking, ignored };
}
