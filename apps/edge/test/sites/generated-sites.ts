interface GeneratedSite {
  /** The page for an unknown address; the edge shows its own where the generator writes none. */
  readonly fallback?: { readonly page: string; readonly status: number };
  /** Paths that pages refer to, and that the generator's own preview does not answer either. */
  readonly brokenInPreview: readonly string[];
}

const notFoundPage = { page: '404.html', status: 404 };

/** The sites of `tools/generated-sites`, and what differs between them. */
export const generatedSites: Readonly<Record<string, GeneratedSite>> = {
  mkdocs: { fallback: notFoundPage, brokenInPreview: [] },
  sphinx: { brokenInPreview: [] },
  hugo: { fallback: notFoundPage, brokenInPreview: [] },
  // It writes the page `café` into a folder that is called `caf%C3%A9`, which no address of a browser means.
  docusaurus: { fallback: notFoundPage, brokenInPreview: ['/caf%C3%A9', '/caf%C3%A9/'] },
  next: { fallback: notFoundPage, brokenInPreview: [] },
  vite: { fallback: { page: '200.html', status: 200 }, brokenInPreview: [] },
};
