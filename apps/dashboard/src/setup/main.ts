/**
 * The page of a set-up link: for somebody without an account, so it has no cookie and loads nothing of the dashboard. The token
 * of the link leaves the address at once, and only one that is valid for an hour is kept, for a reload.
 */
import { displayName } from '@pets/contracts';
import { defineDomainSetup, isSafeLink, type DomainSetupElement, type ShownSetup } from '@pets/domain-setup/element';
import './setup.css';

const SESSION_KEY = 'setup-session';
const LOGO_PATH = /^\/setup\/logos\/[0-9a-f]{64}\.webp$/;
const COLOR = /^#[0-9a-f]{6}$/i;

defineDomainSetup();
const element = document.querySelector<DomainSetupElement>('pets-domain-setup');
if (element !== null) open(element);

function open(setup: DomainSetupElement): void {
  setup.addEventListener('pets-setup-session', () => keep(setup.token));
  setup.addEventListener('pets-setup-change', () => setup.setup !== null && showLook(setup, setup.setup));
  // Another link that was opened in this tab changes only the fragment.
  addEventListener('hashchange', () => start(setup));
  start(setup);
}

function start(setup: DomainSetupElement): void {
  const token = takeFragment() ?? kept();
  const isMissing = token === null;
  setHidden('no-link', !isMissing);
  setHidden('introduction', isMissing);
  setup.hidden = isMissing;
  setup.api = location.origin;
  setup.token = token;
}

/** The token of the link, which no history and no `Referer` contains afterwards. */
function takeFragment(): string | null {
  const fragment = location.hash.slice(1);
  if (location.href.includes('#')) history.replaceState(null, '', location.pathname + location.search);
  return fragment === '' ? null : fragment;
}

/** Shows whose page it is. All of it is text, and what is no safe address is no link. */
function showLook(
  setup: DomainSetupElement,
  { domains, name, color, supportAddress, logo, returnUrl, platform }: ShownSetup,
): void {
  const [domain] = domains;
  const title = domain === undefined ? document.title : `Set up ${displayName(domain)}`;
  document.title = name === null ? title : `${title} · ${name}`;
  setText('heading', title);
  showBrand(name, logo);
  if (color !== null && COLOR.test(color)) setup.style.setProperty('--pets-accent', color);
  const support = supportAddress?.startsWith('https:') === false ? `mailto:${supportAddress}` : supportAddress;
  showLink('help', support, supportAddress ?? '');
  showLink('back', returnUrl, `Back to ${isSafeLink(returnUrl) ? new URL(returnUrl).host : ''}`);
  setText('platform', platform === '' ? '' : `This page is run by ${platform}.`);
}

/** A wide logo has the name in it, which is then its text alternative. */
function showBrand(name: string | null, logo: ShownSetup['logo']): void {
  const image = document.querySelector<HTMLImageElement>('#logo');
  const path = logo !== null && URL.canParse(logo.url) ? new URL(logo.url).pathname : '';
  // Of this origin, where the policy of the page allows images.
  const isShown = image !== null && logo !== null && LOGO_PATH.test(path);
  setHidden('logo', !isShown);
  const isWordmark = isShown && logo.width >= 2 * logo.height;
  setText('name', isWordmark ? '' : (name ?? ''));
  if (!isShown) return;
  image.alt = isWordmark || name === null ? (name ?? 'Logo') : '';
  image.width = logo.width;
  image.height = logo.height;
  if (image.getAttribute('src') !== path) image.src = path;
}

function showLink(id: string, href: string | null, text: string): void {
  const link = document.querySelector<HTMLAnchorElement>(`#${id} > a`);
  const isShown = link !== null && isSafeLink(href);
  setHidden(id, !isShown);
  if (!isShown) return;
  link.href = href;
  link.textContent = text;
}

function setText(id: string, text: string): void {
  const place = document.getElementById(id);
  if (place !== null) place.textContent = text;
}

function setHidden(id: string, isHidden: boolean): void {
  const place = document.getElementById(id);
  if (place !== null) place.hidden = isHidden;
}

/** A browser may refuse to store anything; then a reload needs the link again. */
function keep(token: string | null): void {
  try {
    if (token !== null) sessionStorage.setItem(SESSION_KEY, token);
  } catch {
    return;
  }
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(SESSION_KEY);
  } catch {
    return null;
  }
}
