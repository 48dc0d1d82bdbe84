/**
 * The associated data of sealed texts: each binds a ciphertext to its row, so that none can be put in the place of another.
 * They are here, and not in their features, because whoever rewraps keys has to know every one of them.
 */

/** Some answers hold a secret, so all are sealed. */
export function idempotentAnswerBinding(answer: {
  readonly apiKeyId: string;
  readonly path: string;
  readonly key: string;
}): string {
  return `idempotent_answers|${answer.apiKeyId}|${answer.path}|${answer.key}`;
}

export function webhookSecretBinding(id: string, endpointId: string): string {
  return `webhook_secrets|${id}|${endpointId}`;
}
