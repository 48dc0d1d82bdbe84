/** Of the two style elements that bull-board's scripts put into the page: the picture of Redis, and lists without bars. */
const styleHashes =
  "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU=' 'sha256-kLmvWqfziFavKtqHqRsb90f006UAK2Dmd0It5Iz2KFA='";

/**
 * Everything comes from here. Neither script nor style stands in the page, and no text becomes either; `data:` is for
 * icons. The base is for the addresses of what the page loads, and can be no other site's.
 */
export const pagePolicy =
  `default-src 'none'; script-src 'self'; style-src 'self' ${styleHashes}; connect-src 'self'; img-src 'self' data:; ` +
  "font-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/**
 * The page around bull-board's scripts, instead of its own: that one asks Google for a font, which would then know of
 * every visit, and has styles within it.
 */
export function renderBoardPage({ base, config, entryPaths }: BoardPage): string {
  const loads = entryPaths.map((path) =>
    path.endsWith('.css') ? `<link rel="stylesheet" href="${path}">` : `<script defer src="${path}"></script>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<base href="${base}/">
<title>Queues</title>
<link rel="icon" type="image/svg+xml" id="fav-logo" href="static/images/logo.svg">
<body class="preload">
<script id="__UI_CONFIG__" type="application/json">${escapeJson(config)}</script>
<div id="root"></div>
<noscript>The queue board requires JavaScript.</noscript>
${loads.join('\n')}
</body>
</html>
`;
}

export interface BoardPage {
  /** Path that the board is at, without a slash at its end. */
  readonly base: string;
  /** For the page's scripts. */
  readonly config: object;
  readonly entryPaths: readonly string[];
}

/** No text in it can end the element that it stands in. */
function escapeJson(config: object): string {
  return JSON.stringify(config).replaceAll('<', '\\u003c');
}
