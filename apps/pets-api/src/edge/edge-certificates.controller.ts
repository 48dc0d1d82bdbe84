import { Controller, Get, Param } from '@nestjs/common';
import type { SealedCertificate } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { z } from 'zod';
import { idSchema } from '../http/input-validation.js';
import { SealedCertificates } from './sealed-certificates.service.js';

/** Certificates for edges that do not find them in the storage. */
@Controller('internal/edge')
export class EdgeCertificatesController {
  constructor(private readonly certificates: SealedCertificates) {}

  @Get('certificates/:certificateId')
  async certificate(
    @Param('certificateId', { schema: idSchema }) id: z.infer<typeof idSchema>,
  ): Promise<SealedCertificate> {
    const certificate = await this.certificates.find(id);
    if (certificate === null) throw new RequestError('not_found', 'There is no such certificate.');
    return certificate;
  }
}
