/** More than any provider's metadata, keys or tokens. */
const MAX_BYTES = 1024 * 1024;

/** `fetch` that follows no redirect and reads at most a megabyte. The signal in `options` limits the time. */
export async function boundedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The body of a fetch is bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`the answer of ${new URL(url).origin} is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(length === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
}
