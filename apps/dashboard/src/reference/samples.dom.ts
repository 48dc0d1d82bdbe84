import { EXAMPLE_ORIGIN } from './samples.js';

const COPIED_MS = 2_000;

/** Addresses the samples to this server, switches their language together, and adds copy buttons. */
export function connectSamples(): void {
  for (const code of document.querySelectorAll('pre code')) {
    code.textContent = code.textContent.replaceAll(EXAMPLE_ORIGIN, location.origin);
  }
  const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-language]');
  for (const button of buttons) button.addEventListener('click', () => chooseLanguage(buttons, button));
  for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block);
}

/** Keeps the clicked sample where it is, although others change their height. */
function chooseLanguage(buttons: Iterable<HTMLButtonElement>, clicked: HTMLButtonElement): void {
  const before = clicked.getBoundingClientRect().top;
  const { language = '' } = clicked.dataset;
  document.documentElement.dataset['language'] = language;
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset['language'] === language));
  scrollBy({ top: clicked.getBoundingClientRect().top - before, behavior: 'instant' });
}

function addCopyButton(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const shown = [...block.querySelectorAll('pre')].find((pre) => pre.offsetParent !== null);
    navigator.clipboard.writeText(shown?.textContent ?? '').then(
      () => announce(button, 'Copied'),
      () => announce(button, 'Copying failed'),
    );
  });
  block.append(button);
}

function announce(button: HTMLButtonElement, text: string): void {
  button.setAttribute('aria-live', 'polite');
  button.textContent = text;
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}
