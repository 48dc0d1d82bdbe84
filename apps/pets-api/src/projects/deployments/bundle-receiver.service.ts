import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { uploadProgress } from '../../http/require-progress.js';
import { unpackBundle, type UnpackedBundle, type UploadLimits } from './unpack-bundle.js';
import { deleteUploadFolder, makeUploadFolder } from './upload-folders.js';
import { UploadSlots } from './upload-slots.js';
import { UploadSpace } from './upload-space.js';

/** Receives archives within the limits of their organization. */
@Injectable()
export class BundleReceiver {
  constructor(
    private readonly slots: UploadSlots,
    private readonly space: UploadSpace,
  ) {}

  /**
   * Unpacks an archive into a folder, which is deleted after the work.
   * @throws RequestError `rate_limited`, and those of `unpackBundle`
   */
  receive<Result>(
    organizationId: string,
    archive: Readable,
    checks: Pick<UploadLimits, 'allowed' | 'accept'>,
    work: (bundle: UnpackedBundle) => Promise<Result>,
  ): Promise<Result> {
    return this.slots.run(organizationId, async () => {
      const space = this.space.reserve(organizationId);
      const folder = await makeUploadFolder();
      try {
        return await work(await unpackBundle(archive, folder, { ...checks, progress: uploadProgress, space }));
      } finally {
        await deleteUploadFolder(folder);
        space.release();
      }
    });
  }
}
