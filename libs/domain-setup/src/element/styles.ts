/** Colours follow `color-scheme`, and every pair of text and background has a contrast of at least 4.5 to 1. */
const css = `
:host {
  display: block;
  container-type: inline-size;
  --_accent: var(--pets-accent, #4046b8);
  --_accent-text: var(--pets-accent-text, #fff);
  --_surface: var(--pets-surface, light-dark(#fff, #171a1f));
  --_sunken: var(--pets-sunken, light-dark(#f4f4f7, #1d2027));
  --_line: var(--pets-line, light-dark(#e2e3e9, #2a2e37));
  --_line-strong: var(--pets-line-strong, light-dark(#c5c7d1, #454b58));
  --_ink: var(--pets-ink, light-dark(#191b22, #e7e8ec));
  --_muted: var(--pets-muted, light-dark(#5b5f6d, #a2a7b4));
  --_link: var(--pets-link, light-dark(#3c42b0, #a9b0fb));
  --_good: var(--pets-good, light-dark(#1f9254, #3fb574));
  --_good-ink: var(--pets-good-ink, light-dark(#14693b, #7fd6a5));
  --_warning: var(--pets-warning, light-dark(#d48806, #d9a13b));
  --_warning-ink: var(--pets-warning-ink, light-dark(#7c4f04, #e6c07a));
  --_critical: var(--pets-critical, light-dark(#d03a30, #e0665c));
  --_critical-ink: var(--pets-critical-ink, light-dark(#a3261e, #f0a39c));
  --_radius: var(--pets-radius, 8px);
  color: var(--_ink);
  font: 400 0.875rem/1.5 var(--pets-font, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif);
  font-variant-numeric: tabular-nums;
  text-align: start;
}
:host([hidden]) { display: none; }
*, ::before, ::after { box-sizing: border-box; }
.root { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
h2, p { margin: 0; }
.muted { color: var(--_muted); }
.card, .steps, .names {
  min-width: 0; margin: 0; padding: 1rem 1.125rem;
  border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface);
}
.card { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: 0.875rem; }
.card.kept { min-height: 22rem; }
.kept .message { min-height: 2.25rem; }
.kept .actions { min-height: 2.25rem; }
.steps {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.75rem; list-style: none;
}
.steps li {
  display: grid; align-content: start; min-height: 3.2rem; padding-top: 0.5rem;
  border-top: 3px solid var(--_line); font-size: 0.8125rem; color: var(--_muted);
}
.steps strong { color: var(--_ink); font-weight: 600; }
.steps [data-state='done'] { border-color: var(--_good); }
.steps [data-state='current'] { border-color: var(--_link); }
.steps [data-state='blocked'] { border-color: var(--_warning); }
.names, .names ul { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 2rem; }
.names { justify-content: space-between; }
.names ul { margin: 0; padding: 0; list-style: none; }
.names li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.6rem; min-width: 0; }
.name, .value { overflow-wrap: anywhere; unicode-bidi: isolate; }
.status {
  display: inline-flex; align-items: center; gap: 0.45rem; padding: 0.1rem 0.6rem;
  border: 1px solid var(--_line-strong); border-radius: 1rem; font-size: 0.8125rem;
}
.status::before { content: ''; flex: none; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--_line-strong); }
.status[data-tone='good']::before { background: var(--_good); }
.status[data-tone='progress']::before { background: var(--_link); }
.status[data-tone='warning']::before { background: var(--_warning); }
.status[data-tone='critical']::before { background: var(--_critical); }
.head h2 { min-height: 1.6rem; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
.check { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.75rem; min-height: 1.3rem; font-size: 0.8125rem; color: var(--_muted); }
.message { display: grid; align-content: start; gap: 0.5rem; overflow-wrap: anywhere; }
.visits { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.causes { display: grid; gap: 0.375rem; margin: 0; padding: 0; list-style: none; }
.causes li { padding-left: 0.75rem; border-left: 3px solid var(--_line-strong); }
.causes [data-severity='error'] { border-color: var(--_critical); }
.causes [data-severity='warning'] { border-color: var(--_warning); }
.provider { display: grid; grid-template-columns: minmax(11rem, 15rem) minmax(0, 1fr); align-items: end; gap: 0.5rem 1.25rem; }
.provider p { overflow-wrap: anywhere; }
.provider[data-done] p { visibility: hidden; }
label { display: grid; gap: 0.25rem; font-weight: 500; }
select {
  width: 100%; min-width: 0; min-height: 2.25rem; padding: 0 0.5rem;
  border: 1px solid var(--_line-strong); border-radius: 6px; background: var(--_surface); color: var(--_ink); font: inherit;
}
a { color: var(--_link); text-underline-offset: 2px; }
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.25rem;
  min-height: 2.25rem; padding: 0.3rem 0.875rem; border: 1px solid var(--_line-strong); border-radius: 6px;
  background: var(--_surface); color: var(--_ink); font: inherit; font-size: 0.8125rem; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer;
}
.button:hover { background: var(--_sunken); }
.primary, .primary:hover { border-color: transparent; background: var(--_accent); color: var(--_accent-text); }
.copy { flex: none; min-width: 4rem; min-height: 1.625rem; padding: 0 0.5rem; font-weight: 500; }
:focus-visible { outline: 2px solid var(--_link); outline-offset: 2px; }
.zone { display: grid; margin: 0; padding: 0; list-style: none; border: 1px solid var(--_line); border-radius: var(--_radius); }
.zone > li {
  display: grid; grid-template-columns: 4.25rem minmax(0, 1fr) 6.5rem; align-items: center;
  gap: 0.25rem 0.75rem; padding: 0.375rem 0.75rem; border-top: 1px solid var(--_line);
}
.zone > li:first-child, .zone > li.or + li { border-top: 0; }
.zone > li.or { display: block; padding-bottom: 0; color: var(--_muted); font-size: 0.8125rem; }
.action { font-weight: 600; }
[data-action='delete'] > .action { color: var(--_critical-ink); }
[data-action='add'] > .action { color: var(--_good-ink); }
[data-action='change'] > .action { color: var(--_warning-ink); }
[data-action='keep'] > .action { color: var(--_muted); }
dl { display: flex; align-items: start; gap: 0.25rem 0.75rem; min-width: 0; margin: 0; }
dl > div { flex: none; width: 4.25rem; }
dl > [data-field='name'] { width: 13rem; }
dl > [data-field='value'] { flex: 1; min-width: 0; }
dl > [data-field='proxy'] { width: 5.5rem; }
dt { color: var(--_muted); font-size: 0.75rem; }
dd { display: grid; align-content: center; min-height: 1.75rem; margin: 0; min-width: 0; }
del { color: var(--_critical-ink); }
[data-action='delete'] .value { text-decoration: line-through; }
.entry { display: flex; align-items: center; gap: 0.5rem; min-width: 0; }
.value { min-width: 0; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.93em; }
.seen { color: var(--_muted); font-size: 0.8125rem; text-align: right; }
.seen[data-found] { color: var(--_good-ink); }
.seen[data-found]::before { content: '✓ ' / ''; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.hints { margin: 0; padding-left: 1.1rem; font-size: 0.8125rem; color: var(--_muted); overflow-wrap: anywhere; }
.fold { padding: 0.25rem 0.75rem; border: 1px solid var(--_line); border-radius: var(--_radius); }
.fold > summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0 0.6rem; min-height: 2.25rem; cursor: pointer; }
.fold > summary::before {
  content: ''; width: 0.4rem; height: 0.4rem; border: solid var(--_muted); border-width: 0 2px 2px 0; transform: rotate(-45deg);
}
.fold[open] > summary::before { transform: rotate(45deg); }
.fold > .zone { margin: 0.25rem 0 0.5rem; }
h3 { margin: 0; font-size: 0.875rem; }
ol:not(.steps) { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.375rem; margin: 0.25rem 0 0.5rem; padding-left: 1.25rem; }
li[data-done]::marker { content: '✓ ' / ''; }
@container (min-width: 44.01rem) {
  .head { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
  .check { flex: none; max-width: 60%; }
}
@container (min-width: 60rem) {
  .zone > li { grid-template-columns: 4.25rem minmax(0, 1fr) 8rem; }
}
@container (max-width: 44rem) {
  .provider { grid-template-columns: minmax(0, 1fr); }
  .zone > li { grid-template-columns: minmax(0, 1fr) auto; }
  .zone > li > dl, .zone > li > p { grid-row: 2; grid-column: 1 / -1; }
  dl { flex-wrap: wrap; }
  dl > div[data-field] {
    display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); align-items: center; flex: none; width: 100%;
  }
  .entry { justify-content: space-between; }
  .button { max-width: 100%; }
}
@container (max-width: 30rem) {
  .kept h2 { min-height: 3rem; }
  .steps { grid-template-columns: minmax(0, 1fr); gap: 0.375rem; }
  .steps li { grid-template-columns: minmax(0, 1fr) auto; gap: 0.5rem; min-height: 0; padding-top: 0.25rem; }
}
@container (max-width: 22rem) {
  .card, .steps, .names { padding: 0.75rem; }
  .zone > li { padding: 0.375rem 0.5rem; }
  dl > div[data-field] { grid-template-columns: 4rem minmax(0, 1fr); }
}
@media (pointer: coarse), (max-width: 40rem) {
  .button, select, .fold > summary { min-width: 44px; min-height: 44px; }
  .provider a { display: inline-flex; align-items: center; min-height: 44px; }
  dd { min-height: 44px; }
}
@media (prefers-reduced-motion: no-preference) {
  .steps li { transition: border-color 0.3s; }
}
`;

let sheet: CSSStyleSheet | null = null;

/** The stylesheet that all elements of a page share. A content security policy does not restrict it. */
export function styleSheet(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
