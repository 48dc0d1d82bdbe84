/** Headers of HTTP itself and of CORS, which no description of an interface lists. */
const framing = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
]);

/** Returns the headers of an answer that its description does not have. */
export function undescribedHeaders(sent: readonly string[], described: readonly string[]): string[] {
  const names = new Set(described.map((name) => name.toLowerCase()));
  return sent.filter((name) => !names.has(name.toLowerCase()) && !framing.has(name.toLowerCase()));
}
