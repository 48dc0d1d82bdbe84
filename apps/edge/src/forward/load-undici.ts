/** The HTTP client, which an edge that forwards nothing never loads: that would take a tenth of its start. */
let loading: Promise<typeof import('undici')> | undefined;

export function loadUndici(): Promise<typeof import('undici')> {
  return (loading ??= import('undici'));
}
