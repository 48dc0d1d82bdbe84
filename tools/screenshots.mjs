/**
 * `npm run screenshots`: the pictures of the dashboard in `docs/images`, as its browser tests take them of a stack of
 * their own. What is on them comes from `apps/dashboard/test/e2e/pages.e2e.ts`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const taken = join(root, 'test-results/dashboard');
const shown = join(root, 'docs/images');

const TEST_LIMIT_MS = 15 * 60_000;

/** The pages that the documents show, each in one look, and the names of their pictures. All looks stay in `taken`. */
const pictures = {
  'sign-in-desktop-light': 'sign-in-light',
  'projects-desktop-light': 'projects-light',
  'deployments-desktop-light': 'deployments-light',
  'domains-desktop-light': 'domains-light',
  'domain-live-desktop-light': 'domain-live-light',
  'domain-blocked-desktop-dark': 'domain-blocked-dark',
  'domain-live-phone-light': 'domain-live-phone',
  'redirects-desktop-light': 'redirects-light',
  'animals-desktop-light': 'animals-light',
  'orders-desktop-light': 'orders-light',
  'api-keys-desktop-light': 'api-keys-light',
  'webhooks-desktop-light': 'webhooks-light',
};

const { status } = spawnSync(join(root, 'node_modules/.bin/jest'), ['dashboard.test', '-t', 'every main page'], {
  cwd: join(root, 'apps/dashboard'),
  stdio: 'inherit',
  env: { ...process.env, PETS_SCREENSHOTS: 'true' },
  timeout: TEST_LIMIT_MS,
});
if (status !== 0) process.exit(1);
mkdirSync(shown, { recursive: true });
for (const [look, picture] of Object.entries(pictures))
  copyFileSync(join(taken, `${look}.png`), join(shown, `dashboard-${picture}.png`));
