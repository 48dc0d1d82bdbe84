/**
 * The associated data of encrypted columns. It binds each ciphertext to its row, so that rows cannot be swapped. Here
 * and not in the features, because rewrapping needs all of them.
 */

/** Some responses contain a secret, so all are encrypted. */
export function idempotentAnswerBinding(answer: {
  readonly apiKeyId: string;
  readonly path: string;
  readonly key: string;
}): string {
  return `idempotent_answers|${answer.apiKeyId}|${answer.path}|${answer.key}`;
}

export function channelLinkKeyBinding(id: string): string {
  return `channels|${id}`;
}

export function webhookSecretBinding(id: string, endpointId: string): string {
  return `webhook_secrets|${id}|${endpointId}`;
}
