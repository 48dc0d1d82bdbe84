/** The error types of RFC 8555 §6.7 and its extensions that this CA uses, with the HTTP status each is sent with. */
const problemStatus = {
  accountDoesNotExist: 400,
  alreadyReplaced: 409,
  alreadyRevoked: 400,
  badCSR: 400,
  badNonce: 400,
  badRevocationReason: 400,
  badSignatureAlgorithm: 400,
  caa: 403,
  connection: 400,
  dns: 400,
  invalidProfile: 400,
  malformed: 400,
  orderNotReady: 403,
  rejectedIdentifier: 400,
  serverInternal: 500,
  unauthorized: 403,
  unsupportedIdentifier: 400,
} as const;

export type ProblemType = keyof typeof problemStatus;

export type ProblemDocument = { readonly type: string; readonly detail: string; readonly status: number };

/** A refused request, which becomes the answer's problem document. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    type: ProblemType,
    detail: string,
    { status = problemStatus[type], ...extra }: { status?: number } & Record<string, unknown> = {},
  ) {
    super(detail);
    this.type = type;
    this.status = status;
    this.extra = extra;
  }

  toDocument(): ProblemDocument {
    return {
      type: `urn:ietf:params:acme:error:${this.type}`,
      detail: this.message,
      status: this.status,
      ...this.extra,
    };
  }
}
