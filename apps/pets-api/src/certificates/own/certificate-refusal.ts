import type { ErrorCode } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** Why an uploaded certificate is not accepted. */
export interface CertificateRefusal {
  readonly code: ErrorCode;
  readonly field: 'certificate' | 'privateKey';
  readonly message: string;
}

export function refuse(
  code: ErrorCode,
  message: string,
  field: CertificateRefusal['field'] = 'certificate',
): CertificateRefusal {
  return { code, field, message };
}

export function isRefusal(value: object): value is CertificateRefusal {
  return 'code' in value && 'field' in value;
}

export function errorOf({ code, field, message }: CertificateRefusal): RequestError {
  return RequestError.ofField(code, field, message);
}
